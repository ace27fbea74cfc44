import { dayMs } from "../../../base/time/units.ts";
import type {
  Buckets,
  EventStore,
  Expression,
  GroupKey,
  Measure,
  Predicate,
  Property,
  Scan,
  UserScan,
} from "../../../store/events/events.ts";
import { readNumbers } from "./numbers.ts";

/** One of the queries by which stores are compared. */
export interface ComparedQuery {
  readonly name: string;
  readonly scan?: Scan;
  readonly users?: UserScan;
}

/** The largest times of a date. */
const maxMs = 8.64e15;
/** Properties whose values are counted by one scan. */
const maxCounted = 200;

export const anyEvent: Predicate = { kind: "always", value: true };
export const allTime: Buckets = { startMs: -maxMs, endMs: maxMs, localEdges: [-maxMs, maxMs] };
export const eventName: GroupKey = { kind: "values", of: { kind: "builtin", name: "event_name" } };
const user: Expression = { kind: "builtin", name: "user_id" };

const measure = (aggregate: Measure["aggregate"], where: Predicate = anyEvent): Measure => ({
  aggregate,
  where,
  events: undefined,
});
export const count = measure({ kind: "count" });
const uniques = measure({ kind: "distinct", of: user, as: "value" });

/** The UTC days from one to before another, counted from 1970-01-01. */
export function daily(fromDay: number, untilDay: number): Buckets {
  const localEdges = Array.from({ length: untilDay - fromDay + 1 }, (_, at) => (fromDay + at) * dayMs);
  return { localEdges, startMs: fromDay * dayMs, endMs: untilDay * dayMs };
}

export function scanOf(
  projectId: number,
  measures: readonly Measure[],
  keys: readonly GroupKey[],
  buckets: Buckets,
): Scan {
  const zone = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: 0 }];
  return { projectId, zone, buckets, keys, measures, totals: true };
}

/** Returns a dozen queries over the properties that most events have, of each type one. */
export async function queriesOf(
  store: EventStore,
  projectId: number,
  signal: AbortSignal,
): Promise<readonly ComparedQuery[]> {
  const { properties } = store.schema(projectId);
  const own = [...properties.values()].filter(({ table, group }) => table === "event" && group === undefined);
  const used = await mostUsed(store, projectId, own, signal);
  const find = (...types: Property["type"][]): Expression | undefined => {
    const property = used.find(({ type }) => types.includes(type));
    return property && { kind: "property", property };
  };
  const ofUser = [...properties.values()].find(({ table, type }) => table === "user" && type === "text");
  const [lastDay] = await lastDays(store, projectId);
  return [
    ...countQueries(projectId, lastDay),
    ...numberQueries(projectId, find("number")),
    ...keyQueries(projectId, find("text"), find("list"), find("boolean")),
    ...(ofUser === undefined
      ? []
      : [
          query(
            "users by a property of theirs",
            scanOf(projectId, [uniques], [by({ kind: "property", property: ofUser })], allTime),
          ),
        ]),
    ...(await cohortQueries(store, projectId)),
    {
      name: "the list of users with events",
      users: { scan: scanOf(projectId, [uniques], [], allTime), group: [] },
    },
  ];
}

const query = (name: string, scan: Scan): ComparedQuery => ({ name, scan });
const by = (of: Expression): GroupKey => ({ kind: "values", of });

async function lastDays(store: EventStore, projectId: number): Promise<number[]> {
  const { projects } = await store.stats();
  const last = projects.find((one) => one.projectId === projectId)?.lastDay;
  return last === undefined ? [] : [Date.parse(last) / dayMs];
}

/** Returns the properties with values, those with most values first. */
async function mostUsed(
  store: EventStore,
  projectId: number,
  properties: readonly Property[],
  signal: AbortSignal,
): Promise<readonly Property[]> {
  const counted = properties.slice(0, maxCounted);
  if (counted.length === 0) return [];
  const measures = counted.map((property) => measure({ kind: "values", of: { kind: "property", property } }));
  const numbers = await readNumbers(store, scanOf(projectId, measures, [], allTime), signal);
  const [values = []] = numbers.values();
  const totals = counted.map((property, at) => ({ property, total: values[at * 2] ?? 0 }));
  return totals
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => b.total - a.total)
    .map(({ property }) => property);
}

function countQueries(projectId: number, lastDay: number | undefined): readonly ComparedQuery[] {
  const all = query("users by event", scanOf(projectId, [uniques], [eventName], allTime));
  if (lastDay === undefined) return [all];
  const month = daily(lastDay - 30, lastDay + 1);
  const hours: Buckets = {
    ...daily(lastDay - 2, lastDay + 1),
    localEdges: Array.from({ length: 73 }, (_, hour) => (lastDay - 2) * dayMs + hour * (dayMs / 24)),
  };
  return [
    all,
    query("events and users by day", scanOf(projectId, [count, uniques], [], month)),
    query("events by hour", scanOf(projectId, [count], [], hours)),
  ];
}

function numberQueries(projectId: number, of: Expression | undefined): readonly ComparedQuery[] {
  if (of === undefined) return [];
  const positive: Predicate = {
    kind: "compare",
    operator: ">",
    left: of,
    right: { kind: "number", value: 0 },
  };
  const sums = [
    measure({ kind: "sum", of }),
    measure({ kind: "min", of }),
    measure({ kind: "max", of }),
    measure({ kind: "quantile", of, fraction: 0.95 }),
  ];
  return [
    query("numbers by event", scanOf(projectId, sums, [eventName], allTime)),
    query(
      "different numbers",
      scanOf(projectId, [measure({ kind: "distinct", of, as: "value" })], [], allTime),
    ),
    query(
      "events with a positive number",
      scanOf(projectId, [measure({ kind: "count" }, positive)], [], allTime),
    ),
  ];
}

function keyQueries(
  projectId: number,
  text: Expression | undefined,
  list: Expression | undefined,
  flag: Expression | undefined,
): readonly ComparedQuery[] {
  const isMissing = (of: Expression): Measure => measure({ kind: "count" }, { kind: "isNull", of });
  return [
    ...(text === undefined
      ? []
      : [
          query(
            "different texts",
            scanOf(projectId, [measure({ kind: "distinct", of: text, as: "value" })], [], allTime),
          ),
          query("events without a text", scanOf(projectId, [isMissing(text)], [eventName], allTime)),
        ]),
    ...(list === undefined
      ? []
      : [query("users by element", scanOf(projectId, [count, uniques], [by(list)], allTime))]),
    ...(flag === undefined
      ? []
      : [query("users by yes and no", scanOf(projectId, [count, uniques], [by(flag)], allTime))]),
  ];
}

async function cohortQueries(store: EventStore, projectId: number): Promise<readonly ComparedQuery[]> {
  const last = (await store.cohorts(projectId)).at(-1);
  if (last === undefined) return [];
  const { name, day } = last;
  const isMember: Predicate = { kind: "inCohort", cohort: { name, day } };
  return [query("users of a cohort", scanOf(projectId, [{ ...uniques, where: isMember }], [], allTime))];
}
