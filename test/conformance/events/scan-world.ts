import type {
  Buckets,
  EventStore,
  Expression,
  GroupKey,
  Measure,
  Predicate,
  PreparedEvent,
  Property,
  Scan,
  UserScan,
  ZoneStep,
} from "../../../store/events/events.ts";
import { collectUsers } from "./collect-users.ts";
import {
  type CreateEventsWorld,
  dayMs,
  eventOf,
  login,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  userOf,
} from "./world.ts";

export const {
  price,
  city,
  at,
  gift,
  tags,
  items,
  itemName,
  itemCount,
  level,
  born,
  paying,
  home,
  homeCity,
} = properties;

export const startMs = Date.UTC(2026, 0, 5);
export const hourMs = 3_600_000;
export const at5 = (day: number, hour: number): number => startMs + day * dayMs + hour * hourMs;

export const of = (property: Property): Expression => ({ kind: "property", property });
export const byValues = (property: Property): GroupKey => ({ kind: "values", of: of(property) });
export const always: Predicate = { kind: "always", value: true };
export const userId: Expression = { kind: "builtin", name: "user_id" };
export const number = (value: number): Expression => ({ kind: "number", value });
export const text = (value: string): Expression => ({ kind: "text", value });
export const equals = (property: Property, ...values: (string | number | boolean)[]): Predicate => ({
  kind: "in",
  of: of(property),
  values,
});
export const not = (of: Predicate): Predicate => ({ kind: "not", of });

export const utc: readonly ZoneStep[] = [{ fromMs: -Infinity, offsetMs: 0 }];
/** Clocks go one hour back at 01:00 UTC of the second day, when it is 03:00. */
export const autumn: readonly ZoneStep[] = [
  { fromMs: -Infinity, offsetMs: 2 * hourMs },
  { fromMs: at5(1, 1), offsetMs: hourMs },
];

export function bucketsOf(count: number, sizeMs: number, offsetMs = 0): Buckets {
  const localEdges = Array.from({ length: count + 1 }, (_, edge) => startMs + edge * sizeMs);
  return { startMs: startMs - offsetMs, endMs: startMs + count * sizeMs - offsetMs, localEdges };
}

export const threeDays = bucketsOf(3, dayMs);
export const oneBucket = bucketsOf(1, 3 * dayMs);

export function measureOf(
  aggregate: Measure["aggregate"],
  where: Predicate = always,
  events?: readonly number[],
): Measure {
  return { events, where, aggregate };
}

export const count = measureOf({ kind: "count" });
export const users = measureOf({ kind: "distinct", of: userId, as: "value" });

export function scanOf(more: Partial<Scan> = {}): Scan {
  return { projectId: 1, zone: utc, buckets: threeDays, keys: [], measures: [count], totals: true, ...more };
}

/**
 * Three days, by user: 1 buys on days 0, 0 and 2, logs in on day 1; 2 buys on
 * days 0 and 1; 3 only logs in, on day 2.
 */
export const events: readonly PreparedEvent[] = [
  eventOf({
    t: at5(0, 1),
    u: 1,
    p: { [price.number]: 10, [city.number]: "Bern", [gift.number]: true, [tags.number]: ["a", "b", "a"] },
  }),
  eventOf({
    t: at5(0, 23),
    u: 1,
    p: { [price.number]: 2.5, [city.number]: "Bern", [gift.number]: false, [tags.number]: ["b", "a"] },
  }),
  eventOf({ t: at5(0, 12), u: 2, p: { [price.number]: 40, [city.number]: "Oslo", [tags.number]: ["b"] } }),
  eventOf({ t: at5(1, 0), u: 2, p: { [price.number]: 20, [at.number]: at5(0, 22) } }),
  eventOf({ t: at5(1, 12), u: 1, e: login.number, p: { [city.number]: "Oslo" } }),
  eventOf({
    t: at5(2, 0),
    u: 1,
    p: {
      [city.number]: "Bern",
      [items.number]: '[{"name":"pen","count":2},{"name":"cap"},{"name":"pen","count":2}]',
      [itemName.number]: ["pen", "cap", "pen"],
      [itemCount.number]: [2, null, 2],
    },
  }),
  eventOf({ t: at5(2, 23), u: 3, e: login.number }),
];

const userRows = [
  userOf("set", {
    u: 1,
    a: "ada",
    d: "va",
    p: {
      [level.number]: 3,
      [paying.number]: true,
      [home.number]: '{"city":"Bern"}',
      [homeCity.number]: "Bern",
      [born.number]: at5(0, 0),
    },
  }),
  userOf("set", { u: 2, a: "bob", p: { [level.number]: 7 } }),
  userOf("seen", { u: 3, d: "vc" }),
];

/** Totals and cells of each group, by its keys. */
export async function ask(
  store: EventStore,
  scan: Scan,
): Promise<Record<string, { totals: number[]; cells: number[][] }>> {
  await using result = await store.scan(scan, noSignal());
  const { values } = await result.cells();
  const { length } = result.groups.keys;
  const found = result.groups.keys.map((keys, group) => [
    JSON.stringify(keys),
    {
      totals: result.groups.totals.map((total) => total[group]!),
      cells: values.map((one) => [
        ...one.slice((group * one.length) / length, ((group + 1) * one.length) / length),
      ]),
    },
  ]);
  return Object.fromEntries(found);
}

/** Only the totals of the first measure. */
export async function totals(store: EventStore, scan: Partial<Scan>): Promise<Record<string, number>> {
  const found = await ask(store, scanOf({ buckets: oneBucket, ...scan }));
  return Object.fromEntries(Object.entries(found).map(([keys, { totals: all }]) => [keys, all[0]!]));
}

export async function usersOf(store: EventStore, scan: UserScan): Promise<number[]> {
  const users = await collectUsers(store.users(scan, noSignal()));
  return users.map(({ userId }) => Number(userId));
}

/** Stores with those events and users. */
export interface ScanWorld {
  /** Most tests only read: of these it is one. */
  readonly store: EventStore;
  open(): Promise<OpenedStore>;
}

export async function openScanned(create: CreateEventsWorld): Promise<OpenedStore> {
  const opened = await openStore(create);
  await opened.load({ events, users: userRows });
  const vip = { projectId: 1, name: "vip", kind: "cohort" } as const;
  await opened.store.importCohort({ ...vip, day: "2026-01-01" }, pages({ userId: 2n }));
  await opened.store.importCohort({ ...vip, day: "2026-01-04" }, pages({ userId: 1n }));
  const size = { projectId: 1, name: "size", kind: "tag", day: "2026-01-04" } as const;
  await opened.store.importCohort(size, pages({ userId: 2n, value: "big" }));
  return opened;
}

async function* pages<T>(...members: T[]): AsyncIterable<readonly T[]> {
  yield members;
}
