import { isUserIdName, userIdNames } from "../../base/record/user-ids.ts";
import { countOf } from "../../base/text/count.ts";
import { type Column, formatTable, printable } from "../terminal/table.ts";
import { nameOf, type QueryData, type Series, seriesOf } from "./series.ts";

/** The most buckets that become columns; more buckets become rows. */
const maxBucketsAcross = 8;
/** The most series that become columns beside each other. */
const maxSeriesAcross = 6;
const maxSeriesDown = 1_000;

/** Formats a result as a table. */
export function formatResult(data: QueryData): string {
  const series = seriesOf(data);
  if (series.length === 0) return `no groups\n${describeResult(data)}`;
  const isAcross = data.x.length <= maxBucketsAcross;
  const shown = series.slice(0, isAcross ? maxSeriesDown : maxSeriesAcross);
  const table = isAcross ? bucketsAcross(data, shown) : bucketsDown(data, shown);
  const left = series.length - shown.length;
  const more = left > 0 ? `${left} more series are in --json and --csv\n` : "";
  return `${table}${more}${describeResult(data)}`;
}

function bucketsAcross(data: QueryData, series: readonly Series[]): string {
  const hasCompared = series.some(({ isCompared }) => isCompared);
  const columns: Column<Series>[] = [
    { head: "METRIC", of: nameOf },
    ...data.x.map((label, i): Column<Series> => {
      const compared = data.x_compared?.[i];
      const head = hasCompared && compared !== undefined ? `${label} | ${compared}` : label;
      return { head: printable(head), of: ({ values }) => values[i] ?? "", isRight: true };
    }),
  ];
  return formatTable(columns, series);
}

function bucketsDown(data: QueryData, series: readonly Series[]): string {
  const columns: Column<number>[] = [
    { head: "TIME", of: (i) => data.x[i] ?? "" },
    ...(series.some(({ isCompared }) => isCompared)
      ? [{ head: "COMPARED", of: (i: number) => data.x_compared?.[i] ?? "" }]
      : []),
    ...series.map(
      (one): Column<number> => ({
        head: printable(nameOf(one)),
        of: (i) => one.values[i] ?? "",
        isRight: true,
      }),
    ),
  ];
  const rows = Math.max(data.x.length, data.x_compared?.length ?? 0);
  return formatTable(
    columns,
    Array.from({ length: rows }, (_, i) => i),
  );
}

/** Describes in one line how the query was resolved. */
export function describeResult({ range, zone, union_group_num, cached, truncated }: QueryData): string {
  const parts = [
    ...(range === undefined ? [] : [`${range.start_time} to ${range.end_time}`]),
    ...(zone === undefined ? [] : [`zone ${typeof zone === "number" && zone >= 0 ? "+" : ""}${zone}`]),
    ...(union_group_num === undefined || union_group_num <= 1 ? [] : [`${union_group_num} groups`]),
    ...(truncated ? ["groups were left out"] : []),
    ...(cached ? ["kept result"] : []),
  ];
  return parts.length === 0 ? "" : `${printable(parts.join(", "))}\n`;
}

/** The data of a response with a list of users. */
export interface UserListData {
  readonly datalist?: readonly Readonly<Record<string, string | number>>[];
  readonly columMeta?: Readonly<Record<string, string>>;
  readonly truncated?: boolean;
}

/** Formats a list of users as a table: ids first, then the other properties by name. */
export function formatUsers({ datalist = [], columMeta = {}, truncated }: UserListData): string {
  if (datalist.length === 0) return "no users\n";
  const names = new Set(datalist.flatMap((user) => Object.keys(user)));
  const others = [...names].filter((name) => !isUserIdName(name)).sort();
  const columns = [...userIdNames, ...others].map(
    (name): Column<Readonly<Record<string, string | number>>> => ({
      head: printable(columMeta[name] || name),
      of: (user) => String(user[name] ?? ""),
      isRight: datalist.some((user) => typeof user[name] === "number"),
    }),
  );
  return `${formatTable(columns, datalist)}${countOf(datalist.length, "user")}${truncated ? ", others were left out" : ""}\n`;
}
