import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { EventTableHeader } from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { AnalysisProxy } from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type {
  EventDownloadQuery,
  EventUserDownloadQuery,
} from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import type { MetricResult } from "../../../../../gen/engage/analysis/v1/result_pb.ts";
import { labelOf } from "../../../results/series.ts";
import { clientOf } from "../../../rpc/transport.ts";
import { type Cell, type CsvWords, writeCsv } from "../result/csv.ts";

const client = clientOf(AnalysisProxy);

/** Takes pieces of a file while they arrive, with the number of rows so far. */
type Take = (piece: string, rows: number) => void;

/** Downloads all users behind a point as pieces of CSV. */
export async function downloadUsers(
  query: EventUserDownloadQuery,
  signal: AbortSignal,
  take: Take,
): Promise<void> {
  let rows = 0;
  for await (const { content } of client.downloadEventUsers({ query }, { signal })) {
    if (content.case === "header") {
      take(writeCsv([content.value.columns.map(({ name }) => name)]), rows);
    } else if (content.case === "rows") {
      rows += content.value.rows.length;
      take(writeCsv(content.value.rows.map(({ values }) => values.map(cellOf))), rows);
    }
  }
}

/** Downloads the numbers of all groups as pieces of CSV. */
export async function downloadGroups(
  query: EventDownloadQuery,
  words: CsvWords,
  signal: AbortSignal,
  take: Take,
): Promise<void> {
  let rows = 0;
  for await (const { content } of client.downloadEvents({ query }, { signal })) {
    if (content.case === "header") take(writeCsv([headerOf(content.value, words)]), rows);
    else if (content.case === "rows") {
      rows += content.value.entries.length;
      take(writeCsv(rowsOf(content.value, words)), rows);
    }
  }
}

function headerOf({ groupColumns, x, xCompared }: EventTableHeader, words: CsvWords): readonly Cell[] {
  return [
    words.metric,
    words.split,
    ...groupColumns.map(({ name, displayName }) => displayName || name),
    ...x.map(({ label }) => label),
    ...xCompared.map(({ label }) => `${label} (${words.compared})`),
  ];
}

function rowsOf(metric: MetricResult, words: CsvWords): readonly (readonly Cell[])[] {
  const { displayName, resultKey, splitValue, entries } = metric;
  const numbersOf = (numbers: readonly number[] | undefined): readonly Cell[] =>
    (numbers ?? []).map((number) => (Number.isNaN(number) ? undefined : number));
  return entries.map(({ groupCols, values, valuesCompared }) => [
    displayName || resultKey,
    splitValue && (labelOf(splitValue) ?? words.noValue),
    ...groupCols.map((value) => labelOf(value) ?? words.noValue),
    ...numbersOf(values?.numbers),
    ...numbersOf(valuesCompared?.numbers),
  ]);
}

/** Texts and numbers are written as they are, other values as JSON. */
function cellOf(value: Value): Cell {
  const { kind } = value;
  if (kind.case === "numberValue" || kind.case === "stringValue") return kind.value;
  if (kind.case === "nullValue" || kind.case === undefined) return undefined;
  return JSON.stringify(toJson(ValueSchema, value) satisfies JsonValue);
}
