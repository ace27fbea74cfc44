import { isDeepStrictEqual } from "node:util";

interface Series {
  readonly group_cols: readonly string[];
  readonly values: readonly string[];
  readonly values_compared?: readonly string[];
}

interface AnalysisResponse {
  readonly return_code: number;
  readonly return_message: string;
  readonly data: {
    readonly x: readonly string[];
    readonly x_compared?: readonly string[];
    readonly y: readonly Readonly<Record<string, readonly Series[]>>[];
    readonly datalist?: readonly { readonly "#user_id": number }[];
  };
}

/** A row by SQL: columns of groups, the bucket, and one number for each metric. */
export type PeerRow = readonly unknown[];

const hourMs = 3_600_000;
const overall = "Overall";
/** Texts are rounded to two decimals. */
const maxDifference = 0.0050001;
/** The relative difference of double sums in another order. */
const maxRelativeDifference = 1e-9;

function read(bytes: Buffer): AnalysisResponse {
  const response = JSON.parse(bytes.toString("utf8")) as AnalysisResponse;
  if (response.return_code !== 0)
    throw new Error(`return code ${response.return_code}: ${response.return_message}`);
  return response;
}

/** @throws Error unless the response has exactly the numbers of the rows; other cells may be missing or 0 */
export function assertSameNumbers(name: string, bytes: Buffer, rows: readonly PeerRow[]): void {
  const { data } = read(bytes);
  const cells = data.y.map((metric) => cellsOf(data, Object.values(metric)[0] ?? []));
  for (const row of rows) {
    const groups = row.slice(0, row.length - cells.length - 1);
    const bucketMs = msOf(row[groups.length]);
    const key = JSON.stringify([groups.length === 0 ? [overall] : groups, bucketMs]);
    for (const [metric, own] of cells.entries()) {
      const peer = row[row.length - cells.length + metric];
      const text = own.get(key);
      if (!isSame(text, peer))
        throw new Error(`${name}: ${key} metric ${metric} is ${text}, SQL returns ${peer}`);
      own.delete(key);
    }
  }
  for (const own of cells) {
    for (const [key, text] of own) {
      if (text !== "0" && text !== "-") throw new Error(`${name}: ${key} is ${text}, SQL returns none`);
    }
  }
}

/** @throws Error unless the response lists exactly these users. @param rows start with the user's id */
export function assertSameUsers(name: string, bytes: Buffer, rows: readonly PeerRow[]): void {
  const ours = read(bytes).data.datalist?.map((user) => user["#user_id"]) ?? [];
  const theirs = rows.map(([id]) => Number(id));
  const sorted = ours.toSorted((a, b) => a - b);
  if (theirs.length === 0 || !isDeepStrictEqual(sorted, theirs)) {
    throw new Error(`${name}: ${ours.length} users are listed, SQL returns ${theirs.length}`);
  }
}

function cellsOf(data: AnalysisResponse["data"], series: readonly Series[]): Map<string, string> {
  const cells = new Map<string, string>();
  for (const { group_cols, values, values_compared = [] } of series) {
    const add = (labels: readonly string[], texts: readonly string[]) => {
      for (const [at, label] of labels.entries()) {
        cells.set(JSON.stringify([group_cols, labelMs(label)]), texts[at]!);
      }
    };
    add(data.x, values);
    add(data.x_compared ?? [], values_compared);
  }
  return cells;
}

/** Returns the time of a label, such as `2026-01-31` or `2026-01-31 12:00`. */
function labelMs(label: string): number {
  return Date.parse(label.length > 10 ? `${label.replace(" ", "T")}Z` : label);
}

function msOf(bucket: unknown): number {
  return bucket instanceof Date ? bucket.getTime() : Number(bucket) * hourMs;
}

function isSame(text: string | undefined, peer: unknown): boolean {
  if (peer === null) return text === "-" || text === "0";
  const number = Number(peer);
  const most = maxDifference + Math.abs(number) * maxRelativeDifference;
  return text !== undefined && text !== "-" && Math.abs(Number(text) - number) <= most;
}
