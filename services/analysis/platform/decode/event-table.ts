import { create } from "@bufbuild/protobuf";
import {
  type DownloadEventsResponse,
  DownloadEventsResponseSchema,
  type EventTableHeader,
  EventTableHeaderSchema,
} from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { EventDownloadQuery } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import {
  type GroupEntry,
  GroupEntrySchema,
  MetricResultSchema,
  SeriesSchema,
} from "../../../../gen/engage/analysis/v1/result_pb.ts";
import type { CsvRow } from "../csv-rows.ts";
import { type DecodeOptions, refuseUnreadable } from "./analysis.ts";
import { decodeGroup } from "./groups.ts";
import { findMetric, type MetricMatch, namesOf } from "./match-metrics.ts";
import { bucketsOf, createInfo } from "./result-info.ts";
import { decodeValue } from "./values.ts";

/** The most entries of one message. */
const maxEntries = 500;
const dayLabel = /^\d{4}(?:-\d{2}(?:-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?)?)?(?!\d)/;

/** The positions of the columns of a table. */
interface Layout {
  /** The column of the metric; undefined if there is none, as with a single metric. */
  readonly metricColumn: number | undefined;
  readonly groupColumns: readonly number[];
  readonly x: readonly number[];
  readonly compared: readonly number[];
}

/**
 * Decodes the rows of the platform's download to typed messages: the header, then the entries. The columns before the
 * first one with a time as its title are the metric and the groups. If there is no such column, the last column is the
 * total.
 */
export async function* decodeEventTable(
  batches: AsyncIterable<readonly CsvRow[]>,
  query: EventDownloadQuery,
  options: DecodeOptions,
): AsyncGenerator<DownloadEventsResponse> {
  let heads: CsvRow | undefined;
  let layout: Layout | undefined;
  let gathered: GroupEntry[] = [];
  let name = "";
  const metrics = createNamedMetrics(query);
  const flush = (): DownloadEventsResponse => {
    const { eventIndex, splitValue } = metrics.find(name);
    const metric = query.events[eventIndex]!;
    const value = create(MetricResultSchema, {
      resultKey: name || namesOf(metric)[0]!,
      eventIndex,
      eventUuid: metric.eventUuid,
      displayName: metric.eventNameDisplay || name || namesOf(metric)[0]!,
      splitValue: splitValue === undefined ? undefined : decodeGroup(splitValue),
      format: metric.format,
      entries: gathered,
    });
    gathered = [];
    return create(DownloadEventsResponseSchema, { content: { case: "rows", value } });
  };
  for await (const rows of batches) {
    for (const row of rows) {
      if (heads === undefined) {
        heads = row;
        continue;
      }
      if (layout === undefined) {
        layout = layoutOf(heads, row, query);
        yield headerMessage(heads, layout, query);
      }
      const rowName = layout.metricColumn === undefined ? "" : row[layout.metricColumn]!;
      if (gathered.length > 0 && (rowName !== name || gathered.length === maxEntries)) yield flush();
      name = rowName;
      gathered.push(decodeRow(row, layout, metrics.formatOf(name), options));
    }
  }
  if (heads === undefined) throw refuseUnreadable("the download is empty");
  if (layout === undefined) yield headerMessage(heads, layoutOf(heads, undefined, query), query);
  if (gathered.length > 0) yield flush();
}

function layoutOf(heads: CsvRow, firstRow: CsvRow | undefined, query: EventDownloadQuery): Layout {
  const groups = query.eventView?.groupBy.length ?? 0;
  const firstTime = heads.findIndex((head) => dayLabel.test(head));
  const lead = firstTime === -1 ? heads.length - 1 : firstTime;
  const times = Array.from({ length: heads.length - lead }, (_, i) => lead + i);
  if (lead !== groups + 1 && !(lead === groups && query.events.length === 1)) {
    const columns = heads.map((head) => JSON.stringify(head)).join(", ");
    throw refuseUnreadable(`the download has ${lead} columns for a metric and ${groups} groups: ${columns}`);
  }
  const isCompared = query.eventView?.comparedByTime === true && times.length % 2 === 0;
  const half = isCompared ? times.length / 2 : times.length;
  const metricColumn = lead === groups ? undefined : metricColumnOf(firstRow, lead, query);
  const groupColumns = Array.from({ length: lead }, (_, i) => i).filter((at) => at !== metricColumn);
  return { metricColumn, groupColumns, x: times.slice(0, half), compared: times.slice(half) };
}

/** Returns the first column, unless the name of a metric is found only in another one. */
function metricColumnOf(row: CsvRow | undefined, lead: number, query: EventDownloadQuery): number {
  const names = new Set(query.events.flatMap(namesOf));
  const found = row?.slice(0, lead).findIndex((text) => names.has(text)) ?? -1;
  return Math.max(0, found);
}

function headerMessage(heads: CsvRow, layout: Layout, query: EventDownloadQuery): DownloadEventsResponse {
  const groupBy = query.eventView?.groupBy ?? [];
  const labels = (columns: readonly number[]) => bucketsOf(columns.map((at) => heads[at]!));
  const value: EventTableHeader = create(EventTableHeaderSchema, {
    groupColumns: layout.groupColumns.map((at, i) => ({
      name: groupBy[i]!.columnName,
      displayName: heads[at]!,
    })),
    x: labels(layout.x),
    xCompared: labels(layout.compared),
    info: createInfo(query.zoneOffset, {}, false, []),
  });
  return create(DownloadEventsResponseSchema, { content: { case: "header", value } });
}

function decodeRow(
  row: CsvRow,
  layout: Layout,
  format: Parameters<typeof decodeValue>[1],
  { percentAs }: DecodeOptions,
): GroupEntry {
  const series = (columns: readonly number[]) => {
    const missing: number[] = [];
    const numbers = columns.map((at, i) => {
      const number = decodeValue(row[at], format, percentAs);
      if (number === undefined)
        throw refuseUnreadable(`${JSON.stringify(row[at])} in a download is not a number`);
      if (Number.isNaN(number)) missing.push(i);
      return number;
    });
    return create(SeriesSchema, { numbers, missing });
  };
  return create(GroupEntrySchema, {
    groupCols: layout.groupColumns.map((at) => decodeGroup(row[at])),
    values: series(layout.x),
    valuesCompared: layout.compared.length === 0 ? undefined : series(layout.compared),
  });
}

/** Finds metrics by their names in rows. An unknown name stands for the next metric. */
function createNamedMetrics({ events }: EventDownloadQuery) {
  const seen = new Map<string, MetricMatch>();
  const find = (name: string): MetricMatch => {
    const known = seen.get(name);
    if (known !== undefined) return known;
    const own = findMetric(name, events, new Set());
    const taken = new Set([...seen.values()].map(({ eventIndex }) => eventIndex));
    const next = events.findIndex((_, i) => !taken.has(i));
    if (own === undefined && next === -1) {
      throw refuseUnreadable(
        `the download has rows of ${JSON.stringify(name)}, which is not one of the metrics`,
      );
    }
    const match = own ?? { eventIndex: next, splitValue: undefined };
    seen.set(name, match);
    return match;
  };
  return { find, formatOf: (name: string) => events[find(name).eventIndex]!.format };
}
