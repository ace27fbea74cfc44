import type { KeyValue, Scan, UserScan } from "../scan.ts";
import { cutStretches } from "./buckets.ts";
import type { Dialect } from "./dialect.ts";
import type { CompiledKey } from "./keys.ts";
import { Parameters, type Statement } from "./parameters.ts";
import { type Cut, compilePass, cutRange } from "./pass.ts";
import type { Relations, UsersWanted } from "./relations.ts";
import type { Source, Surroundings } from "./source.ts";

/**
 * The users of a slice with what is wanted of them, in no order: `user_id`,
 * `account_id`, `distinct_id`, then a column per property. Undefined when there
 * can be none.
 */
export function compileUsers(
  { scan, bucket, group, limit }: UserScan,
  properties: UsersWanted["properties"],
  relations: Relations,
  dialect: Dialect,
): Statement | undefined {
  const parameters = new Parameters(dialect);
  const surroundings: Surroundings = { dialect, relations, parameters, zone: scan.zone };
  if (scan.measures.length === 0) return undefined;
  const narrowed = bucket === undefined ? scan : narrow(scan, bucket);
  if (narrowed === undefined) return undefined;
  const cut: Cut = cutRange(narrowed);
  const pass = compilePass(surroundings, {
    scan: narrowed,
    cut,
    measures: narrowed.measures,
    values: (source: Source) => [source.column("user_id")],
    needsBucket: false,
  });
  const matches = pass.keys.map((key, index) => keyEquals(key, group[index] ?? null, surroundings));
  const where = matches.length === 0 ? "" : ` WHERE ${matches.join(" AND ")}`;
  const users = relations.users({ columns: ["user_id", "account_id", "distinct_id"], properties });
  const columns = [
    "u.account_id",
    "u.distinct_id",
    ...properties.map((property) => `u.${relations.column(property)}`),
  ];
  // Before anything of the users is read.
  const first = limit === undefined ? "" : ` ORDER BY user_id LIMIT ${Math.max(0, Math.trunc(limit))}`;
  const ids = `SELECT DISTINCT ${pass.values[0]} AS user_id FROM ${pass.rows} r${where}${first}`;
  const sql = `SELECT ${["s.user_id", ...columns].join(", ")} FROM (${ids}) s LEFT JOIN ${users} u ON u.user_id = s.user_id`;
  return parameters.finish(sql);
}

/** The same scan with that bucket only, over no more time than needed. */
export function narrow(scan: Scan, bucket: number): Scan | undefined {
  const { buckets, zone } = scan;
  const { edges, windows, count } = cutStretches(buckets);
  const [from, to] = windows?.[bucket] ?? [bucket, bucket + 1];
  const isKnown = windows === undefined ? bucket < count : bucket < windows.length;
  if (!isKnown || bucket < 0 || from >= to) return undefined;
  const [low, high] = [edges[from]!, edges[to]!];
  const offsets = zone.length === 0 ? [0] : zone.map(({ offsetMs }) => offsetMs);
  const startMs = Math.max(buckets.startMs, low - Math.max(...offsets));
  const endMs = Math.min(buckets.endMs, high - Math.min(...offsets));
  return startMs < endMs ? { ...scan, buckets: { startMs, endMs, localEdges: [low, high] } } : undefined;
}

function keyEquals(
  { name, of }: CompiledKey,
  value: KeyValue,
  { parameters, relations }: Surroundings,
): string {
  if (value === null) return `${name} IS NULL`;
  switch (of) {
    case "event": {
      const event = typeof value === "string" ? relations.schema.events.get(value) : undefined;
      return event === undefined ? "false" : `${name} = ${event.number}`;
    }
    case "interval":
      return typeof value === "number" && Number.isSafeInteger(value) ? `${name} = ${value}` : "false";
    case "integer":
      return typeof value === "number" && Number.isSafeInteger(value)
        ? `${name} = ${parameters.bind(of, value)}`
        : "false";
    case "number":
    case "boolean":
      return typeof value === of ? `${name} = ${parameters.bind(of, value)}` : "false";
    case "text":
      return typeof value === "string" ? `${name} = ${parameters.bind(of, value)}` : "false";
  }
}
