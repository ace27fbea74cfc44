import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { HealthPart } from "../../../../gen/engage/operations/v1/settings_pb.ts";
import type { GetStatsResponse } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { Card } from "../../controls/card.tsx";
import { Empty } from "../../controls/empty.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { PageHead } from "../../controls/page-head.tsx";
import { useLive } from "../../rpc/live.ts";
import { t } from "../../texts/texts.ts";
import { AttentionList } from "./attention.tsx";
import { InboxCard } from "./inbox-card.tsx";
import { createOverviewLoad } from "./load.ts";
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
  const fault = live.fault.value;
  return (
    <>
      <PageHead title={t("overview.title")} lead={t("overview.lead")} />
      {fault !== undefined && <FaultNote fault={fault} onRetry={live.refresh} />}
      {overview?.stats === undefined
        ? fault === undefined && <p class="muted">{t("shell.loading")}</p>
        : content(overview.stats, overview.failing, readings.value)}
    </>
  );
}

function content(
  stats: GetStatsResponse,
  failing: readonly HealthPart[],
  readings: readonly CounterReading[],
) {
  const { targets, inbox } = stats;
  const oldest = inbox?.oldestPendingTime;
  const oldestMs = oldest === undefined ? undefined : timestampMs(oldest);
  const nowMs = Date.now();
  const state = inbox && { writable: inbox.writable, oldestMs };
  return (
    <>
      <AttentionList
        items={attentionTo(state, targets, nowMs)}
        failing={failing}
        reason={inbox?.reason ?? ""}
        oldestMs={oldestMs}
        nowMs={nowMs}
      />
      <Summary totals={totalsOf(targets)} oldestMs={oldestMs} nowMs={nowMs} />
      <div class="overview-parts">
        <RatesCard readings={readings} />
        {inbox !== undefined && <InboxCard inbox={inbox} />}
      </div>
      <Card title={t("overview.webhooks")}>
        {targets.length === 0 ? <NoMessages /> : <TargetsTable targets={targets} />}
      </Card>
    </>
  );
}

/** Signs a message as the platform does and sends it to the channel of the demo. */
const firstMessage = `body='[{"push_id":"ann","params":{"title":"Hi Ann"},"#ops_receipt_properties":{"ops_request_id":"first"}}]'
signature=$(printf %s "$body" | openssl dgst -sha1 -hmac demo-secret | sed 's/.*= //')
curl -H 'content-type: application/json' -H "x-svc-ops-signature: $signature" -d "$body" ${new URL("../webhook/demo", document.baseURI).href}`;

function NoMessages() {
  return (
    <Empty title={t("overview.empty")} command={firstMessage}>
      <p>{t("overview.empty.do")}</p>
      <p class="muted">{t("overview.empty.readme")}</p>
    </Empty>
  );
}
