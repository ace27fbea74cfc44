import type { Funnel } from "../../../../gen/engage/channel/v1/statistics_pb.ts";
import { Card } from "../../controls/card.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { type FunnelRow, funnelRowsOf } from "./funnel-rows.ts";

const ownSteps = ["sent", "succeeded", "click", "conversion"] as const;

/** The funnel of a run, then those of its groups and languages. */
export function Funnels({ funnels }: { readonly funnels: readonly Funnel[] }) {
  return (
    <Card title={t("tasks.funnel")}>
      {funnels.map(({ groupId, language, steps }) => {
        const name = nameOf(groupId, language);
        return (
          <section key={name} class="tasks-funnel" aria-label={name}>
            {funnels.length > 1 && <h3>{name}</h3>}
            <Table caption={name} columns={columns()} rows={funnelRowsOf(steps)} keyOf={(row) => row.name} />
          </section>
        );
      })}
    </Card>
  );
}

function nameOf(groupId: string, language: string): string {
  if (groupId === "" && language === "") return t("tasks.funnel.all");
  if (language === "") return t("tasks.funnel.group", { group: groupId });
  if (groupId === "") return t("tasks.funnel.language", { language });
  return t("tasks.funnel.both", { group: groupId, language });
}

function columns(): readonly Column<FunnelRow>[] {
  return [
    { name: "step", title: t("tasks.step"), isHeading: true, cell: ({ name }) => stepText(name) },
    {
      name: "users",
      title: t("tasks.users"),
      isNumber: true,
      cell: ({ users }) => formatNumber(users),
    },
    {
      name: "share",
      title: t("tasks.share"),
      isNumber: true,
      cell: ({ share }) =>
        share === undefined ? "" : formatNumber(share, { style: "percent", maximumFractionDigits: 2 }),
    },
    {
      name: "bar",
      title: t("tasks.bar"),
      // The number beside it says the same.
      cell: ({ share }) => <progress max={1} value={share ?? 0} aria-hidden="true" />,
    },
  ];
}

/** Steps between success and click have the names of their events. */
function stepText(name: string): string {
  const own = ownSteps.find((one) => one === name);
  return own === undefined ? name : t(`tasks.step.${own}`);
}
