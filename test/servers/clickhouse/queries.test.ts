import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import type { Expression, Measure, Scan } from "../../../store/events/events.ts";
import { collectUsers } from "../../conformance/events/collect-users.ts";
import { ask, byValues, count, measureOf, of, scanOf, users } from "../../conformance/events/scan-world.ts";
import {
  eventOf,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  userOf,
} from "../../conformance/events/world.ts";
import { type ClickHouseWorld, openStoreServers, type StoreServers } from "./world.ts";

let servers: StoreServers;
let world: ClickHouseWorld;
let opened: OpenedStore;

const { price, city, nick } = properties;
const ids = Array.from({ length: 3_000 }, (_, at) => at + 1);

beforeAll(async () => {
  servers = await openStoreServers(2);
  opened = await openStore(async () => {
    world = await servers.createWorld();
    return world;
  });
  await opened.load({
    events: ids.map((u) =>
      eventOf({
        u,
        t: Date.UTC(2026, 0, 5 + (u % 3)),
        p: { [price.number]: u / 4, [city.number]: `c${u % 7}` },
      }),
    ),
    users: ids.map((u) => userOf("set", { u, a: `a${u}`, p: { [nick.number]: "n".repeat(3_000) } })),
  });
});

afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await servers[Symbol.asyncDispose]();
});

const sumOfShards = async (sql: string): Promise<number> => {
  const numbers = await Promise.all(servers.shards.map((shard) => shard.query(sql)));
  return numbers.reduce((sum, number) => sum + Number(number), 0);
};
const statements = () =>
  sumOfShards("SELECT count() FROM system.processes WHERE query_id LIKE 'engage-%' AND query LIKE '%e1%'");

/** A statement is listed for a moment after the last bytes of its result. */
const noStatements = () => expect.poll(statements, { timeout: 60_000 }).toBe(0);

/** Compares each event with many texts, so that the statement runs for a while. */
const slow: Scan = scanOf({
  measures: Array.from(
    { length: 12 },
    (_, at): Measure => ({
      ...count,
      where: {
        kind: "or",
        of: Array.from({ length: 60 }, (_, one) => ({
          kind: "matches" as const,
          of: of(city),
          pattern: `(x|y|z){9}${at}(${one}|[a-q]+){5}$`,
        })),
      },
    }),
  ),
});

describe("a query", () => {
  it("that is aborted ends on all shards", async () => {
    const leaving = new AbortController();
    const reason = new Error("gone");
    const asked = opened.store.scan(slow, leaving.signal);
    const rejected = expect(asked).rejects.toBe(reason);
    await expect.poll(statements, { timeout: 60_000, interval: 1 }).toBeGreaterThan(0);
    leaving.abort(reason);
    await rejected;
    // A shard which had not begun notices that its connection is closed.
    await noStatements();
  });

  it("of a shard that is not there fails as a whole, and works again when it is", async () => {
    const shard = servers.shards[1]!;
    const list = () => collectUsers(opened.store.users({ scan: scanOf(), group: [] }, noSignal()));
    const summary = () => opened.store.summarize(scanOf(), { kind: "values", of: of(price) }, noSignal());
    const asked = [() => ask(opened.store, scanOf({ measures: [users] })), list, summary];
    await shard.kill();
    const failed = await Promise.allSettled(asked.map((query) => query()));
    const host = new URL(shard.url).host;
    for (const one of failed) {
      expect(one).toMatchObject({ status: "rejected", reason: { name: "EventsUnavailableError" } });
      expect((one as PromiseRejectedResult).reason.message).toContain(`shard 2 of 2 ("${host}")`);
    }
    await shard.start();
    const [totals, found, range] = await Promise.all([asked[0]!(), list(), summary()]);
    expect(totals).toMatchObject({ "[]": { totals: [ids.length] } });
    expect(found).toHaveLength(ids.length);
    expect(range).toEqual({ distinct: 20, range: [0.25, ids.length / 4] });
  });

  it("leaves no temporary tables and no statements behind", async () => {
    const median: Measure = measureOf({ kind: "quantile", of: of(price), fraction: 0.5 });
    await ask(opened.store, scanOf({ keys: [byValues(city)], measures: [median, users] }));
    expect(await sumOfShards("SELECT count() FROM system.tables WHERE is_temporary")).toBe(0);
    await noStatements();
  });

  it("with a value of 10^10 and more sums exactly", async () => {
    const large: Expression = {
      kind: "arithmetic",
      operator: "*",
      left: of(price),
      right: { kind: "number", value: 4e10 },
    };
    const sum = measureOf({ kind: "sum", of: large });
    const expected = (4e10 * (ids.length * (ids.length + 1))) / 2 / 4;
    expect(await ask(opened.store, scanOf({ measures: [sum] }))).toMatchObject({
      "[]": { totals: [expected] },
    });
  });
});

describe("users of shards", () => {
  it("are merged by their ids, and are kept in a file without a name while they are read", async () => {
    const folder = world.options.resultsFolder;
    const reading = opened.store.users({ scan: scanOf(), group: [] }, noSignal())[Symbol.asyncIterator]();
    const first = await reading.next();
    const found = [...first.value];
    expect(await readdir(folder)).toEqual([]);
    expect(opened.store.queryCounts()).toEqual({ running: 0, waiting: 0 });
    await noStatements();
    for (let next = await reading.next(); next.done !== true; next = await reading.next())
      found.push(...next.value);
    expect(found.map(({ userId }) => Number(userId))).toEqual(ids);
  });

  it("are refused when their folder is full", async () => {
    await using store = await openClickHouseStore({
      ...world.options,
      maxResultBytes: 1_000,
    });
    const asked = collectUsers(store.users({ scan: scanOf(), group: [] }, noSignal()));
    await expect(asked).rejects.toMatchObject({ name: "EventsUnavailableError" });
    expect(store.queryCounts()).toEqual({ running: 0, waiting: 0 });
  });
});

it("a query that needs more memory than a statement may have fails", async () => {
  await using store = await openClickHouseStore({ ...world.options, maxMemoryBytes: 1_000_000 });
  await expect(store.scan(slow, noSignal())).rejects.toMatchObject({ name: "EventsMemoryError" });
});
