import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Database } from "../../../../store/events/duckdb/database.ts";
import { createQueries, openSnapshot } from "../../../../store/events/duckdb/query/query.ts";
import { eventOf, noonMs, noSignal, openStore, properties } from "../../../conformance/events/world.ts";
import { createDuckDbWorld } from "./duckdb-world.ts";

const caller = { projectId: 1 };

/** Runs for hours unless it is interrupted. */
const endless = "SELECT sum(a.range * b.range) FROM range(100000000) a, range(1000000) b";

async function openDatabase() {
  const world = await createDuckDbWorld();
  const database = await Database.open(world.options);
  return {
    database,
    queries: createQueries(database, { maxQueries: 1, maxWaiting: 1 }),
    async [Symbol.asyncDispose]() {
      await database.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

describe("a query", () => {
  // Before the thread of the statement has started, about then, and while the statement runs.
  it.each([0, 1, 1_000])("is interrupted by its signal %d turns after its start", async (turns) => {
    await using opened = await openDatabase();
    const controller = new AbortController();
    await using query = await opened.queries.open(caller, controller.signal);
    const running = query.run(endless);
    const reason = new Error("gone");
    const rejected = expect(running).rejects.toBe(reason);
    for (let count = 0; count < turns; count++) await turn();
    controller.abort(reason);
    await rejected;
    await expect(query.run("SELECT 1")).rejects.toBe(reason);
  });

  it("is interrupted between the rows that it streams", async () => {
    await using opened = await openDatabase();
    const controller = new AbortController();
    await using query = await opened.queries.open(caller, controller.signal);
    const rows = query.stream("SELECT range FROM range(100000000000)")[Symbol.asyncIterator]();
    expect((await rows.next()).value!.rowCount).toBeGreaterThan(0);
    controller.abort(new Error("gone"));
    await expect(rows.next()).rejects.toThrow("gone");
  });

  it("frees its slot when it is settled, and keeps its temporary tables", async () => {
    await using opened = await openDatabase();
    await using first = await opened.queries.open(caller, noSignal());
    await first.run("CREATE TEMP TABLE kept AS SELECT 42 AS answer");
    const waiting = opened.queries.open(caller, noSignal());
    await expect(opened.queries.open(caller, noSignal())).rejects.toMatchObject({
      name: "TooManyQueriesError",
    });
    await first.settle();
    await using second = await waiting;
    await expect(second.run("FROM kept")).rejects.toThrow("kept");
    expect(await (await first.run("FROM kept")).getRowsJS()).toEqual([[42]]);
  });

  it("is limited to a few which keep results for slow readers", async () => {
    await using opened = await openDatabase();
    const keep = (signal = noSignal()) => opened.queries.keep(caller, signal);
    const [letGo] = await Promise.all(Array.from({ length: 8 }, () => keep()));
    await expect(keep(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    const ninth = keep();
    await using _query = await opened.queries.open(caller, noSignal());
    letGo!();
    await expect(ninth).resolves.toBeTypeOf("function");
  });

  it("is interrupted when the store closes", async () => {
    await using opened = await openDatabase();
    await using query = await opened.queries.open(caller, noSignal());
    const running = query.run(endless);
    const closing = opened.database.close();
    await expect(running).rejects.toMatchObject({ name: "EventsUnavailableError" });
    await closing;
  });

  it("reports missing memory, and the store continues", async () => {
    await using opened = await openDatabase();
    await using query = await opened.queries.open(caller, noSignal());
    const greedy = query.run("SELECT list(range || repeat('x', 1000)) FROM range(10000000)");
    await expect(greedy).rejects.toMatchObject({ name: "EventsMemoryError" });
    await using snapshot = await openSnapshot(opened.database, noSignal());
    expect(await snapshot.rows("SELECT 1")).toEqual([[1]]);
  });
});

it("finds a changed block on the disk in a check", async () => {
  await using world = await createDuckDbWorld();
  await using opened = await openStore(async () => ({
    ...world,
    [Symbol.asyncDispose]: async () => undefined,
  }));
  const events = Array.from({ length: 20_000 }, (_, at) =>
    eventOf({ t: noonMs + at, p: { [properties.city.number]: `${at} ${Math.sin(at)}` } }),
  );
  await opened.load({ events });
  await opened.store[Symbol.asyncDispose]();
  const file = await open(join(world.options.folder, "events.duckdb"), "r+");
  const { size } = await file.stat();
  const blockBytes = 262_144;
  const headerBytes = 12_288;
  for (let at = headerBytes + 5_000; at < size; at += blockBytes) await spoil(file, at);
  await file.close();
  const outcome = await opened.reopen().then(
    (store) => store.check(noSignal()),
    (error: Error) => [error.message],
  );
  expect(outcome).toEqual([expect.stringMatching(/checksum|[Cc]orrupt/)]);
});

async function spoil(file: Awaited<ReturnType<typeof open>>, position: number): Promise<void> {
  await file.write(Buffer.from("spoilt!!"), 0, 8, position);
}
