import type { Client } from "@connectrpc/connect";
import type { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { BatchSummary } from "../../../../gen/engage/channel/v1/statistics_pb.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { Checkbox } from "../../controls/checkbox.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { RefreshButton } from "../../controls/refresh-button.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { setQuery } from "../../router/router.ts";
import { useKeysetPages } from "../../rpc/pages.ts";
import { formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";

const pageSize = 50;
/** More failed messages of a batch are counted only. */
const maxItems = 5;

const states = { pending: "plain", in_flight: "warn", succeeded: "good", failed: "bad" } as const;

interface BatchesProps {
  readonly client: Client<typeof ChannelSender>;
  readonly taskId: string;
  readonly isOnlyFailed: boolean;
}

/** The batches of the latest run. They are loaded when the page opens and when their reader asks for it. */
export function Batches({ client, taskId, isOnlyFailed }: BatchesProps) {
  const pages = useKeysetPages<BatchSummary>(`${taskId} ${isOnlyFailed}`, async (pageToken, signal) => {
    const { batches, nextPageToken } = await client.listBatches(
      { taskId, onlyFailed: isOnlyFailed, pageSize, pageToken },
      { signal },
    );
    return { rows: batches, nextToken: nextPageToken };
  });
  return (
    <Card title={t("tasks.batches")} actions={<RefreshButton onClick={pages.reload} />}>
      <search class="filters">
        <Checkbox
          label={t("tasks.batches.failed")}
          isChecked={isOnlyFailed}
          onChange={(isChecked) => setQuery({ only: isChecked ? "failed" : "" })}
        />
      </search>
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="card-line muted">
              {t(isOnlyFailed ? "tasks.batches.noneFailed" : "tasks.batches.none")}
            </p>
          ) : (
            <>
              <Table
                caption={t("tasks.batches")}
                columns={columns()}
                rows={rows}
                keyOf={({ number }) => String(number)}
              />
              <Pager pages={pages} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function columns(): readonly Column<BatchSummary>[] {
  return [
    {
      name: "number",
      title: t("tasks.batch"),
      isHeading: true,
      cell: ({ number }) => formatNumber(number),
    },
    { name: "state", title: t("tasks.state"), cell: ({ state }) => <BatchState state={state} /> },
    {
      name: "size",
      title: t("tasks.messages"),
      isNumber: true,
      cell: ({ size }) => formatNumber(size),
    },
    {
      name: "attempts",
      title: t("tasks.attempts"),
      isNumber: true,
      cell: ({ attempts }) => formatNumber(attempts),
    },
    { name: "failure", title: t("tasks.failures"), cell: (batch) => <Failures batch={batch} /> },
    { name: "request", title: t("tasks.requestId"), cell: ({ requestId }) => <code>{requestId}</code> },
  ];
}

function BatchState({ state }: { readonly state: string }) {
  const known = (Object.keys(states) as (keyof typeof states)[]).find((name) => name === state);
  const tone: Tone = known === undefined ? "plain" : states[known];
  return <Badge tone={tone}>{known === undefined ? state : t(`tasks.batch.${known}`)}</Badge>;
}

function Failures({ batch: { failedItems, lastFailure } }: { readonly batch: BatchSummary }) {
  return (
    <>
      <LongText text={lastFailure} />
      {failedItems.slice(0, maxItems).map(({ index, pushId, message }) => (
        <div key={index}>
          <code>{pushId}</code> <LongText text={message} />
        </div>
      ))}
      {failedItems.length > maxItems && (
        <div class="muted">{tn("tasks.batch.more", failedItems.length - maxItems)}</div>
      )}
    </>
  );
}
