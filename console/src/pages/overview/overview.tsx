import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { GetStatsResponse } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { Card } from "../../controls/card.tsx";
import { NoMessages } from "../../controls/first-data.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { useLive } from "../../rpc/live.ts";
import { t } from "../../texts/texts.ts";
import { AttentionList } from "./attention.tsx";
import { BreakersCard } from "./breakers-card.tsx";
import { InboxCard } from "./inbox-card.tsx";
import { createOverviewLoad, type Overview } from "./load.ts";
import { type CounterReading, RatesCard } from "./rates-card.tsx";
import { Summary } from "./summary.tsx";
import { TargetsTable } from "./targets-table.tsx";
import { attentionTo, totalsOf } from "./totals.ts";
import "./overview.css";

/** Rates are drawn over this many readings, which is a quarter of an hour. */
const maxReadings = 180;

/** What comes in and goes out, and what needs attention. */
export function OverviewPage() {
  const live = useLive("overview", useMemo(createOverviewLoad, []));
  const readings = useSignal<readonly CounterReading[]>([]);
  const latest = useRef<GetStatsResponse | undefined>(undefined);
  useSignalEffect(() => {
    const stats = live.data.value?.stats;
    if (stats === undefined || stats === latest.current) return;
    latest.current = stats;
    const { accepted, delivered, dead } = totalsOf(stats.targets);
    const reading = {
      ms: Date.now(),
      accepted: Number(accepted),
      delivered: Number(delivered),
      dead: Number(dead),
    };
    readings.value = [...readings.peek(), reading].slice(-maxReadings);
  });
  const overview = live.data.value;
  return (
    <>
      <PageHead title={t("overview.title")} lead={t("overview.lead")} />
      <Loaded data={overview?.stats} fault={live.fault.value} onRetry={live.refresh}>
        {(stats) => content(stats, overview!, readings.value)}
      </Loaded>
    </>
  );
}

function content(
  stats: GetStatsResponse,
  { failing, lag, letters, refusedMs }: Omit<Overview, "stats">,
  readings: readonly CounterReading[],
) {
  const { targets, inbox, breakers } = stats;
  const oldest = inbox?.oldestPendingTime;
  const oldestMs = oldest === undefined ? undefined : timestampMs(oldest);
  const nowMs = Date.now();
  const attention = attentionTo({
    inbox: inbox && { writable: inbox.writable, oldestMs },
    targets,
    down: breakers.flatMap(({ target, openTime }) =>
      openTime === undefined ? [] : [{ target, sinceMs: timestampMs(openTime) }],
    ),
    unloadedMs: lag?.lag && nowMs - durationMs(lag.lag),
    letters,
    refusedMs,
    nowMs,
  });
  return (
    <>
      <AttentionList items={attention} failing={failing} reason={inbox?.reason ?? ""} nowMs={nowMs} />
      <Summary totals={totalsOf(targets)} oldestMs={oldestMs} lag={lag} nowMs={nowMs} />
      <div class="overview-parts">
        <RatesCard readings={readings} />
        {inbox !== undefined && <InboxCard inbox={inbox} />}
      </div>
      <Card title={t("overview.webhooks")}>
        {targets.length === 0 ? <NoMessages /> : <TargetsTable targets={targets} />}
      </Card>
      {breakers.length > 0 && <BreakersCard breakers={breakers} nowMs={nowMs} />}
    </>
  );
}
