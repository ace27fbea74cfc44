import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { BreakerState, type TargetBreaker } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { hrefOf } from "../../router/router.ts";
import { t } from "../../texts/texts.ts";

/** A state of a newer server counts as closed. */
const names = { [BreakerState.OPEN]: "open", [BreakerState.HALF_OPEN]: "halfOpen" } as const;
const tones: Readonly<Record<"closed" | "open" | "halfOpen", Tone>> = {
  closed: "good",
  open: "bad",
  halfOpen: "warn",
};

/** Which targets are called, which are down since when, and when those are tried again. */
export function BreakersCard({
  breakers,
  nowMs,
}: {
  readonly breakers: readonly TargetBreaker[];
  readonly nowMs: number;
}) {
  const time = (moment: Timestamp | undefined) => moment && <Time ms={timestampMs(moment)} nowMs={nowMs} />;
  const columns: readonly Column<TargetBreaker>[] = [
    {
      name: "target",
      title: t("overview.target"),
      isHeading: true,
      cell: ({ target }) => <a href={hrefOf(["deliveries"], { target })}>{target}</a>,
    },
    { name: "state", title: t("overview.breaker.state"), cell: ({ state }) => <State state={state} /> },
    { name: "since", title: t("overview.breaker.since"), cell: ({ openTime }) => time(openTime) },
    { name: "next", title: t("overview.breaker.next"), cell: ({ nextTryTime }) => time(nextTryTime) },
  ];
  return (
    <Card title={t("overview.breakers")}>
      <Table
        caption={t("overview.breakers")}
        columns={columns}
        rows={breakers}
        keyOf={({ target }) => target}
      />
    </Card>
  );
}

function State({ state }: Pick<TargetBreaker, "state">) {
  const name = names[state as keyof typeof names] ?? "closed";
  return <Badge tone={tones[name]}>{t(`overview.breaker.${name}`)}</Badge>;
}
