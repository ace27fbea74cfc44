import type { TaskStatistics } from "../../../../gen/engage/channel/v1/statistics_pb.ts";
import { Card } from "../../controls/card.tsx";
import { Table } from "../../controls/table.tsx";
import { formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { failedOf, progressOf } from "./funnel-rows.ts";

const counts = ["planned", "filtered", "control", "batched", "sent", "succeeded"] as const;

/** What has happened to the messages of a run so far. */
export function Progress({ statistics }: { readonly statistics: TaskStatistics }) {
  const { batches, settledBatches, failed, retried, warnings } = statistics;
  const share = progressOf(statistics);
  return (
    <Card title={t("tasks.progress")}>
      <div class="tasks-progress">
        <progress max={1} value={share} aria-label={t("tasks.progress")} />
        <span class="number">
          {t("tasks.progress.batches", {
            settled: formatNumber(settledBatches),
            batches: formatNumber(batches),
            percent: formatNumber(share, { style: "percent" }),
          })}
        </span>
      </div>
      <dl class="tasks-counts">
        {counts.map((name) => (
          <Count key={name} name={t(`tasks.count.${name}`)} count={statistics[name]} />
        ))}
        <Count name={t("tasks.count.failed")} count={failedOf(statistics)} isBad={failed.length > 0} />
        <Count name={t("tasks.count.retried")} count={retried} />
        <Count name={t("tasks.count.warnings")} count={warnings} />
      </dl>
      {failed.length > 0 && (
        <Table
          caption={t("tasks.failures")}
          columns={[
            {
              name: "reason",
              title: t("tasks.reason"),
              isHeading: true,
              cell: ({ reason }) => <code>{reason}</code>,
            },
            {
              name: "count",
              title: t("tasks.messages"),
              isNumber: true,
              cell: ({ count }) => formatNumber(count),
            },
          ]}
          rows={failed}
          keyOf={({ reason }) => reason}
        />
      )}
    </Card>
  );
}

interface CountProps {
  readonly name: string;
  readonly count: bigint;
  readonly isBad?: boolean;
}

function Count({ name, count, isBad = false }: CountProps) {
  return (
    <div class={isBad ? "bad" : ""}>
      <dt>{name}</dt>
      <dd class="number">{formatNumber(count)}</dd>
    </div>
  );
}
