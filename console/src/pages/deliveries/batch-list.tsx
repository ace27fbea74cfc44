import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { TargetStats } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { ReceivedBatch } from "../../../../gen/engage/webhook/v1/received_batch_pb.ts";
import type { PageProps } from "../../app/page-props.ts";
import { Badge } from "../../controls/badge.tsx";
import { Card } from "../../controls/card.tsx";
import { NoMessages } from "../../controls/first-data.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { LongText } from "../../controls/long-text.tsx";
import { RefreshButton } from "../../controls/refresh-button.tsx";
import { type Column, Pager, Table } from "../../controls/table.tsx";
import { Time } from "../../controls/time.tsx";
import { useKeysetPages } from "../../rpc/pages.ts";
import { formatBytes, formatNumber } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { FilterForm, type Names } from "./filter-form.tsx";
import { batchFilterOf, readFilters } from "./filters.ts";
import { BatchLink } from "./links.tsx";

const pageSize = 50;
const shownFilters = ["channel", "request", "time"] as const;

interface BatchListProps extends Pick<PageProps, "query"> {
  readonly names: Names;
}

/** The accepted batches, the newest first. */
export function BatchList({ query, names }: BatchListProps) {
  const filters = readFilters(query);
  const { channel, request, fromMs, untilMs } = filters;
  const key = JSON.stringify([channel, request, fromMs, untilMs]);
  const pages = useKeysetPages<ReceivedBatch>(key, async (pageToken, signal) => {
    const wanted = { filter: batchFilterOf(filters), pageSize, pageToken };
    const { batches, nextPageToken } = await client.listBatches(wanted, { signal });
    return { rows: batches, nextToken: nextPageToken };
  });
  const isSearch = channel !== "" || request !== "" || fromMs !== undefined || untilMs !== undefined;
  const refresh = <RefreshButton onClick={pages.reload} />;
  return (
    <Card title={t("deliveries.tab.batches")} actions={refresh}>
      <FilterForm filters={filters} names={names} shown={shownFilters} />
      <Loaded data={pages.rows} fault={pages.fault} onRetry={pages.reload}>
        {(rows) =>
          rows.length === 0 && !isSearch ? (
            <NoMessages />
          ) : (
            <>
              <Table
                caption={t("deliveries.tab.batches")}
                columns={columns()}
                rows={rows}
                keyOf={({ batchId }) => batchId}
              />
              {rows.length === 0 && <p class="card-line muted">{t("deliveries.none")}</p>}
              <Pager pages={pages} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function columns(): readonly Column<ReceivedBatch>[] {
  return [
    {
      name: "batch",
      title: t("deliveries.batch"),
      isHeading: true,
      cell: ({ batchId }) => <BatchLink id={batchId} />,
    },
    {
      name: "accepted",
      title: t("deliveries.accepted"),
      cell: ({ acceptedTime }) => acceptedTime && <Time ms={timestampMs(acceptedTime)} />,
    },
    { name: "channel", title: t("deliveries.channel"), cell: ({ channel }) => channel },
    {
      name: "request",
      title: t("deliveries.request"),
      cell: ({ requestId }) => <LongText text={requestId} />,
    },
    {
      name: "size",
      title: t("deliveries.size"),
      isNumber: true,
      cell: ({ bodyBytes }) => formatBytes(bodyBytes),
    },
    {
      name: "targets",
      title: t("deliveries.target"),
      cell: ({ targets }) => (
        <ul>
          {targets.map((counts) => (
            <li key={counts.target}>
              <Counts counts={counts} />
            </li>
          ))}
        </ul>
      ),
    },
  ];
}

function Counts({ counts }: { readonly counts: TargetStats }) {
  const { target, delivered, pending, dead } = counts;
  const shown = [
    { name: "delivered", count: delivered, tone: "good" },
    { name: "pending", count: pending, tone: "warn" },
    { name: "dead", count: dead, tone: "bad" },
  ] as const;
  return (
    <span class="row">
      {target}
      {shown
        .filter(({ count }) => count > 0n)
        .map(({ name, count, tone }) => (
          <Badge key={name} tone={tone}>
            {t(`deliveries.state.${name}`)} {formatNumber(count)}
          </Badge>
        ))}
    </span>
  );
}
