import { all, first, type Operation, type Session, type Value } from "../../sql/query.ts";
import type { StoredFilter } from "../list.ts";

/** The place of a dead letter in its list. */
export interface Key {
  readonly part: number;
  readonly number: number;
}

export interface StoredRow extends Key {
  readonly content: string;
}

export interface Search {
  readonly list: string;
  readonly filter: StoredFilter;
  readonly order: "newest" | "oldest";
  /** The last dead letter before those that are searched. */
  readonly after: Key | undefined;
  /** The number of dead letters that are read. */
  readonly window: number;
}

export interface Found {
  readonly rows: readonly StoredRow[];
  /** The last dead letter that was read; null at the end of the list. */
  readonly next: Key | null;
}

/** Finds dead letters among the next ones of a list. */
export function* find(_session: Session, search: Search & { readonly limit: number }): Operation<Found> {
  const { order, limit, window } = search;
  const { condition, from, params } = windowOf(search);
  const direction = order === "newest" ? "DESC" : "ASC";
  const keys = yield* all<Key & { readonly found: number }>(
    `SELECT part, number, (${condition})::int AS found FROM ${from} ORDER BY number ${direction}`,
    ...params,
  );
  const found = keys.filter((key) => key.found === 1);
  const chosen = found.slice(0, limit);
  const isFull = chosen.length === limit;
  const last = isFull ? chosen.at(-1) : keys.at(-1);
  const isEnd = keys.length < window && (!isFull || last === keys.at(-1));
  return { rows: yield* read(search.list, chosen), next: isEnd || last === undefined ? null : keyOf(last) };
}

/** Counts dead letters among the next ones of a list. */
export function* count(
  _session: Session,
  search: Search,
): Operation<{ readonly count: number; readonly next: Key | null }> {
  const { condition, from, params } = windowOf(search);
  const row = yield* first<{ scanned: number; found: number; part: number | null; number: number | null }>(
    `SELECT COUNT(*) AS scanned, COUNT(*) FILTER (WHERE ${condition}) AS found,
       MAX(part) AS part, MAX(number) AS number FROM ${from}`,
    ...params,
  );
  const { scanned, found, part, number } = row!;
  const isEnd = scanned < search.window || part === null || number === null;
  return { count: found, next: isEnd ? null : { part, number } };
}

export interface GroupRow extends Key {
  readonly reason: string;
  readonly index: string | null;
  readonly count: number;
  readonly bytes: number;
  readonly oldest: string;
  readonly newest: string;
  /** The newest of them. */
  readonly content: string;
}

/** Counts the newest dead letters of a list by reason. */
export function* groups(
  _session: Session,
  { list, byIndex, window }: { readonly list: string; readonly byIndex: boolean; readonly window: number },
): Operation<{ readonly groups: readonly GroupRow[]; readonly isComplete: boolean }> {
  const index = byIndex ? "content->>'index'" : "NULL::text";
  const rows = yield* all<Omit<GroupRow, "content">>(
    `SELECT reason, index, COUNT(*) AS count, SUM(bytes)::bigint AS bytes, MIN(time) AS oldest, MAX(time) AS newest,
       MAX(part) AS part, MAX(number) AS number
     FROM (SELECT content->>'reason' AS reason, ${index} AS index, octet_length(content::text) AS bytes,
         content->>'time' AS time, part, number
       FROM {deadletters} WHERE list = $1 AND content->>'time' IS NOT NULL
       ORDER BY part DESC, number DESC LIMIT $2) AS newest
     GROUP BY reason, index`,
    list,
    window,
  );
  const examples = new Map((yield* read(list, rows)).map((row) => [row.number, row.content]));
  const isComplete = rows.reduce((sum, row) => sum + row.count, 0) < window;
  return { groups: rows.map((row) => ({ ...row, content: examples.get(row.number) ?? "" })), isComplete };
}

export function* get(_session: Session, list: string, key: Key): Operation<StoredRow | null> {
  return (yield* read(list, [key]))[0] ?? null;
}

/** Returns the number of those that were removed. */
export function* remove(_session: Session, list: string, keys: readonly Key[]): Operation<number> {
  const removed = yield* all(
    `DELETE FROM {deadletters} AS d USING ${recordsOf("$1")}
     WHERE d.list = $2 AND d.part = chosen.part AND d.number = chosen.number RETURNING 1 AS removed`,
    JSON.stringify(keys.map(keyOf)),
    list,
  );
  return removed.length;
}

function* read(list: string, keys: readonly Key[]): Operation<readonly StoredRow[]> {
  if (keys.length === 0) return [];
  const rows = yield* all<StoredRow>(
    `SELECT d.part, d.number, d.content::text AS content FROM ${recordsOf("$1")}
     JOIN {deadletters} AS d ON d.list = $2 AND d.part = chosen.part AND d.number = chosen.number`,
    JSON.stringify(keys.map(keyOf)),
    list,
  );
  const contents = new Map(rows.map((row) => [row.number, row]));
  return keys.flatMap(({ number }) => contents.get(number) ?? []);
}

function keyOf({ part, number }: Key): Key {
  return { part, number };
}

function recordsOf(param: string): string {
  return `json_to_recordset(${param}::json) AS chosen (part bigint, number bigint)`;
}

/** Returns a condition on dead letters, and the next ones of a list. Numbers grow with the parts. */
function windowOf({ list, filter, order, after, window }: Search) {
  const params: Value[] = [];
  const param = (value: Value): string => `$${params.push(value)}`;
  const condition = conditionsOf(filter, param).join(" AND ");
  const [sign, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
  const inList = `list = ${param(list)}`;
  const where =
    after === undefined
      ? inList
      : `${inList} AND (part, number) ${sign} (${param(after.part)}::bigint, ${param(after.number)}::bigint)`;
  const from = `(SELECT part, number, content FROM {deadletters} WHERE ${where}
    ORDER BY part ${direction}, number ${direction} LIMIT ${param(window)}) AS next`;
  return { condition, from, params };
}

function conditionsOf(filter: StoredFilter, param: (value: Value) => string): readonly string[] {
  const { reason, text, index, fromMs, untilMs } = filter;
  const at = (ms: number): string => `${param(new Date(ms).toISOString())}::text COLLATE "C"`;
  return [
    "content->>'time' IS NOT NULL",
    ...(reason === undefined ? [] : [`content->>'reason' = ${param(reason)}`]),
    ...(index === undefined ? [] : [`content->>'index' = ${param(index)}`]),
    ...(text === undefined ? [] : [`strpos(content->>'message', ${param(text)}) > 0`]),
    ...(fromMs === undefined ? [] : [`content->>'time' >= ${at(fromMs)}`]),
    ...(untilMs === undefined ? [] : [`content->>'time' < ${at(untilMs)}`]),
  ];
}
