import { type Message, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { isDecimal } from "../../../base/text/decimal.ts";
import type {
  DownloadEventsRequest,
  DownloadEventsResponse,
  DownloadEventUsersResponse,
  EventTableHeader,
  UserTableHeader,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { Column, MetricResult, Series } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { formatFast, type ValueStyle } from "./fast-format.ts";
import { labelOf } from "./result-text.ts";

/** What a codec receives in addition to the message. */
interface RestResponse {
  readonly request: Message;
}

/** Writes one message of a downloaded result; the messages of a stream make one file. */
export function writeEventsCsv(
  { content }: DownloadEventsResponse,
  { request }: RestResponse,
  style: ValueStyle,
): string | Uint8Array {
  switch (content.case) {
    case "header":
      return eventsHeader(content.value);
    case "rows":
      return eventRows(content.value, (request as DownloadEventsRequest).header === "names", style);
    case "raw":
      return content.value;
    default:
      return "";
  }
}

/** Writes one message of a downloaded user list. */
export function writeUsersCsv({ content }: DownloadEventUsersResponse): string | Uint8Array {
  switch (content.case) {
    case "header":
      return usersHeader(content.value);
    case "rows":
      return content.value.rows.map(({ values }) => writeLine(values.map(writeValue))).join("");
    case "raw":
      return content.value;
    default:
      return "";
  }
}

function eventsHeader({ groupColumns, x, xCompared, csv }: EventTableHeader): string {
  const isStable = csv?.stableNames ?? false;
  const cells = [
    plainCell(isStable ? "metric" : "Metric"),
    ...headsOf(groupColumns, isStable),
    ...x.map(({ label }) => plainCell(label)),
    // Both ranges may have the same labels.
    ...xCompared.map(({ label }) => plainCell(isStable ? `compared.${label}` : `${label} (compared)`)),
  ];
  return writeHeader(cells, csv?.byteOrderMark ?? false);
}

function usersHeader({ columns, csv }: UserTableHeader): string {
  return writeHeader(headsOf(columns, csv?.stableNames ?? false), csv?.byteOrderMark ?? false);
}

function headsOf(columns: readonly Column[], isStable: boolean): readonly string[] {
  return columns.map(({ name, displayName }) => textCell(isStable ? name : displayName || name));
}

function eventRows(metric: MetricResult, isStable: boolean, style: ValueStyle): string {
  const name = textCell(isStable ? metric.resultKey : metric.displayName || metric.resultKey);
  let text = "";
  for (const { groupCols, values, valuesCompared } of metric.entries) {
    text += name;
    for (const value of groupCols) text += `,${textCell(labelOf(value))}`;
    text += `${valueCells(values, metric, style)}${valueCells(valuesCompared, metric, style)}\n`;
  }
  return text;
}

function valueCells(series: Series | undefined, { format }: MetricResult, style: ValueStyle): string {
  let text = "";
  for (const number of series?.numbers ?? []) text += `,"${formatFast(number, format, style)}"`;
  return text;
}

/** Writes a value of a user. Texts are guarded, numbers are not; "no value" is empty. */
function writeValue(value: Value): string {
  const { kind } = value;
  switch (kind.case) {
    case "stringValue":
      return textCell(kind.value);
    case "numberValue":
      return plainCell(String(kind.value));
    case "boolValue":
      return plainCell(String(kind.value));
    case "listValue":
    case "structValue":
      return plainCell(JSON.stringify(toJson(ValueSchema, value)));
    default:
      return '""';
  }
}

const byteOrderMark = "\u{feff}";

/** Characters with which a spreadsheet starts a formula, also in their full-width forms. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Writes a text of a caller or an event. A text that a spreadsheet would run as a formula gets an apostrophe before it.
 */
function textCell(text: string): string {
  const isFormula = formulaStart.test(text) && text !== "-" && !isDecimal(text.replace(/%$/, ""));
  return plainCell(isFormula ? `'${text}` : text);
}

/** Writes a text without guarding it: numbers, which keep their minus, and fixed texts. */
function plainCell(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}

/** Writes a line of RFC 4180, but ends it with LF. */
function writeLine(cells: readonly string[]): string {
  return `${cells.join(",")}\n`;
}

/** Writes the first line of a file. */
function writeHeader(cells: readonly string[], hasByteOrderMark: boolean): string {
  return (hasByteOrderMark ? byteOrderMark : "") + writeLine(cells);
}
