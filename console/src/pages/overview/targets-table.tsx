import { Badge, type Tone } from "../../controls/badge.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { type Counts, stateOfTarget, type TargetState } from "./totals.ts";

const tones: Readonly<Record<TargetState, Tone>> = {
  dead: "bad",
  waiting: "warn",
  good: "good",
  idle: "plain",
};

/** Every channel with its targets. */
export function TargetsTable({ targets }: { readonly targets: readonly Counts[] }) {
  const counter = (name: "accepted" | "delivered" | "pending" | "dead"): Column<Counts> => ({
    name,
    title: t(`overview.${name}`),
    isNumber: true,
    cell: (row) => formatNumber(row[name]),
  });
  const columns: readonly Column<Counts>[] = [
    { name: "channel", title: t("overview.channel"), isHeading: true, cell: ({ channel }) => channel },
    { name: "target", title: t("overview.target"), cell: ({ target }) => target },
    { name: "state", title: t("overview.state"), cell: (row) => <State state={stateOfTarget(row)} /> },
    counter("accepted"),
    counter("delivered"),
    counter("pending"),
    counter("dead"),
  ];
  return (
    <Table
      caption={t("overview.webhooks")}
      columns={columns}
      rows={targets}
      keyOf={({ channel, target }) => `${channel} ${target}`}
    />
  );
}

function State({ state }: { readonly state: TargetState }) {
  return <Badge tone={tones[state]}>{t(`overview.state.${state}`)}</Badge>;
}
