import { describe, expect, it } from "vitest";
import type { EventStore, Scan, UserChunk } from "../../../store/events/events.ts";
import { collectUsers } from "./collect-users.ts";
import {
  type CreateEventsWorld,
  collect,
  dayMs,
  eventOf,
  noonMs,
  noSignal,
  openStore,
  userOf,
} from "./world.ts";

const startMs = noonMs - dayMs;
const endMs = noonMs + 10 * dayMs;

const always = { kind: "always", value: true } as const;
const userId = { kind: "builtin", name: "user_id" } as const;

/** Counts all events of the days around noon. */
const countAll: Scan = {
  projectId: 1,
  zone: [{ fromMs: -Infinity, offsetMs: 0 }],
  keys: [],
  totals: true,
  buckets: { startMs, endMs, localEdges: [startMs, endMs] },
  measures: [{ events: undefined, where: always, aggregate: { kind: "count" } }],
};

async function count(store: EventStore, signal = noSignal()): Promise<number> {
  await using result = await store.scan(countAll, signal);
  return result.groups.totals[0]?.[0] ?? 0;
}

/** How queries share the store with each other and with loads. */
export function testQueries(create: CreateEventsWorld): void {
  describe("queries", () => {
    it.each([
      { maxQueries: 1, maxWaiting: 0, asked: 4, refused: 3 },
      { maxQueries: 2, maxWaiting: 1, asked: 5, refused: 2 },
      { maxQueries: 1, maxWaiting: 8, asked: 6, refused: 0 },
    ])("runs $maxQueries and lets $maxWaiting wait: $refused of $asked are refused", async (limits) => {
      await using opened = await openStore(create, limits);
      await opened.load({ events: [eventOf()] });
      const asked = Array.from({ length: limits.asked }, () => count(opened.store));
      expect(opened.store.queryCounts()).toEqual({
        running: limits.maxQueries,
        waiting: Math.min(limits.maxWaiting, limits.asked - limits.maxQueries),
      });
      const settled = await Promise.allSettled(asked);
      const refused = settled.filter((one) => one.status === "rejected").map(({ reason }) => reason.name);
      expect(refused).toEqual(Array.from({ length: limits.refused }, () => "TooManyQueriesError"));
      expect(opened.store.queryCounts()).toEqual({ running: 0, waiting: 0 });
      expect(await count(opened.store)).toBe(1);
    });

    it("gives another project a slot while one uses and waits for all", async () => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 4 });
      await opened.load({ events: [eventOf()] });
      const order: string[] = [];
      const ask = async (name: string, scan: Scan) => {
        await using _result = await opened.store.scan(scan, noSignal());
        order.push(name);
      };
      const greedy = Array.from({ length: 5 }, (_, at) =>
        ask(`greedy ${at}`, { ...countAll, caller: "greedy" }),
      );
      const other = ask("other", { ...countAll, projectId: 9, caller: "other" });
      expect(opened.store.queryCounts()).toEqual({ running: 2, waiting: 4 });
      await Promise.all([...greedy, other]);
      expect(order.indexOf("other")).toBeLessThan(order.indexOf("greedy 4"));
    });

    it("refuses a statement longer than the engine takes", async () => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 0 });
      await opened.load({ events: [eventOf()] });
      // No two measures have a condition in common.
      const conditionsOf = (measure: number) =>
        Array.from({ length: 500 }, (_, at) => ({
          kind: "in" as const,
          of: userId,
          values: Array.from({ length: 50 }, (_, value) => 50 * (500 * measure + at) + value),
        }));
      const measures = Array.from({ length: 40 }, (_, at) => ({
        events: undefined,
        where: { kind: "or", of: conditionsOf(at) } as const,
        aggregate: { kind: "distinct", of: { kind: "number", value: at }, as: "value" } as const,
      }));
      const asked = opened.store.scan({ ...countAll, measures }, noSignal());
      await expect(asked).rejects.toMatchObject({ name: "PlanTooLargeError" });
      expect(await count(opened.store)).toBe(1);
    });

    it("runs several scans on one snapshot and in one slot", async () => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 0 });
      await opened.load({ events: [eventOf()] });
      const asked = opened.store.scanAll([countAll, { ...countAll, projectId: 9 }, countAll], noSignal());
      const [results] = await Promise.all([asked, opened.load({ events: [eventOf(), eventOf()] })]);
      expect(results.map(({ groups }) => groups.totals[0]?.[0] ?? 0)).toEqual([1, 0, 1]);
      for (const result of results) await result[Symbol.asyncDispose]();
      expect(await count(opened.store)).toBe(3);
      expect(await opened.store.scanAll([], noSignal())).toEqual([]);
    });

    it("cancels what is left of several scans", async () => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 0 });
      await opened.load({ events: [eventOf()] });
      const reason = new Error("gone");
      const leaving = new AbortController();
      const asked = opened.store.scanAll(Array<Scan>(50).fill(countAll), leaving.signal);
      leaving.abort(reason);
      await expect(asked).rejects.toBe(reason);
      expect(await count(opened.store)).toBe(1);
    });

    it("accepts loads and upkeep while the maximum number of queries runs", async () => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 0 });
      const running = count(opened.store);
      await opened.load({ events: [eventOf()] });
      const options = { nowMs: noonMs + dayMs, keepDays: new Map<number, number>(), signal: noSignal() };
      await Promise.all([running, opened.store.compact(options), opened.store.stats()]);
      expect(await count(opened.store)).toBe(1);
    });

    it("rejects a query whose signal is aborted before, while it runs, or while it waits", async () => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 1 });
      await opened.load({ events: [eventOf()] });
      const reason = new Error("gone");
      await expect(count(opened.store, AbortSignal.abort(reason))).rejects.toBe(reason);
      const [first, second] = [new AbortController(), new AbortController()];
      const running = count(opened.store, first.signal);
      const waiting = count(opened.store, second.signal);
      second.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      first.abort(reason);
      await expect(running).rejects.toBe(reason);
      expect(await count(opened.store)).toBe(1);
    });

    it.each<[string, (store: EventStore, signal: AbortSignal) => Promise<unknown>]>([
      ["a scan", (store, signal) => store.scan(countAll, signal)],
      ["several scans", (store, signal) => store.scanAll([countAll], signal)],
      ["no scans", (store, signal) => store.scanAll([], signal)],
      [
        "users of events",
        (store, signal) => collectUsers(store.users({ scan: countAll, group: [] }, signal)),
      ],
      ["users", (store, signal) => collectUsers(store.selectUsers({ projectId: 1, where: always }, signal))],
      ["a summary", (store, signal) => store.summarize(countAll, { kind: "values", of: userId }, signal)],
      [
        "an export",
        (store, signal) => collect(store.export({ projectId: 1, startMs, endMs, users: true }, signal)),
      ],
      ["a check", (store, signal) => store.check(signal)],
    ])("asks the engine nothing for %s whose signal is aborted already", async (_what, ask) => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 0 });
      await opened.load({ events: [eventOf()] });
      const reason = new Error("gone");
      const asked = ask(opened.store, AbortSignal.abort(reason));
      expect(opened.store.queryCounts()).toEqual({ running: 0, waiting: 0 });
      await expect(asked).rejects.toBe(reason);
    });

    it.each<[string, (store: EventStore) => AsyncIterable<UserChunk>]>([
      ["of events", (store) => store.users({ scan: countAll, group: [] }, noSignal())],
      ["by what is known of them", (store) => store.selectUsers({ projectId: 1, where: always }, noSignal())],
      ["of events, some", (store) => store.users({ scan: countAll, group: [], limit: 900 }, noSignal())],
    ])("lets others ask while users %s are read slowly, who stay those of one moment", async (_what, ask) => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 0 });
      const ids = Array.from({ length: 700 }, (_, at) => at + 1);
      const rowsOf = (some: readonly number[]) => ({
        events: some.map((u) => eventOf({ u })),
        users: some.map((u) => userOf("seen", { u, a: `a${u}` })),
      });
      await opened.load(rowsOf(ids.toReversed()));
      const reading = ask(opened.store)[Symbol.asyncIterator]();
      const found = [...(await reading.next()).value];
      await opened.load(rowsOf([701, 702]));
      expect([await count(opened.store), found.length < 700]).toEqual([702, true]);
      for (let next = await reading.next(); next.done !== true; next = await reading.next())
        found.push(...next.value);
      expect(found.map(({ userId }) => Number(userId))).toEqual(ids);
    });

    it("lists as many users as are wanted, the first by their ids", async () => {
      await using opened = await openStore(create);
      await opened.load({ events: [5, 3, 9, 3, 7].map((u) => eventOf({ u })) });
      const listed = (limit: number) =>
        collectUsers(opened.store.users({ scan: countAll, group: [], limit }, noSignal()));
      const found = await Promise.all([0, 2, 4, 9].map(listed));
      expect(found.map((users) => users.map(({ userId }) => Number(userId)))).toEqual([
        [],
        [3, 5],
        [3, 5, 7, 9],
        [3, 5, 7, 9],
      ]);
    });

    it("shows whole batches while they are loaded", async () => {
      await using opened = await openStore(create, { maxQueries: 2, maxWaiting: 100 });
      const batches = [];
      for (let n = 0; n < 12; n++) {
        const events = Array.from({ length: 10 }, (_, at) => eventOf({ t: noonMs + (at % 5) * dayMs }));
        batches.push(await opened.batches.next({ events }));
      }
      const loads = Promise.all(batches.map((batch) => opened.store.load(batch)));
      const counts = await Promise.all(Array.from({ length: 40 }, () => count(opened.store)));
      await loads;
      expect(counts.filter((found) => found % 10 !== 0)).toEqual([]);
      expect(await count(opened.store)).toBe(120);
    });

    it("rejects calls of a closed store", async () => {
      await using opened = await openStore(create);
      const batch = await opened.batches.next({ events: [eventOf()] });
      const { store } = opened;
      await store[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await expect(count(store)).rejects.toMatchObject({ name: "EventsUnavailableError" });
      await expect(store.load(batch)).rejects.toMatchObject({ name: "EventsUnavailableError" });
      await expect(store.stats()).rejects.toMatchObject({ name: "EventsUnavailableError" });
    });

    it("closes during queries and loads, and keeps what it has acknowledged", async () => {
      await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 10 });
      await opened.load({ events: [eventOf()] });
      const batch = await opened.batches.next({ events: [eventOf()] });
      const asked = [count(opened.store), opened.store.load(batch), count(opened.store)];
      const settled = Promise.allSettled<unknown>(asked);
      const store = await opened.reopen();
      const names = (await settled).map((one) => (one.status === "rejected" ? one.reason.name : "done"));
      expect(names.filter((name) => name !== "done" && name !== "EventsUnavailableError")).toEqual([]);
      await store.load(batch);
      expect(await count(store)).toBe(2);
    });
  });
}
