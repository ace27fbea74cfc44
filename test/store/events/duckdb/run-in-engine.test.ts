import { DuckDBInstance, type DuckDBPendingResult } from "@duckdb/node-api";
import { describe, expect, it, vi } from "vitest";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import { runInEngine } from "../../../../store/events/duckdb/run-in-engine.ts";
import { Batches, eventOf, recordsOf, vocabulary } from "../../../conformance/events/world.ts";
import { createDuckDbWorld } from "./duckdb-world.ts";

/** Takes longer than the first looks at it. */
const slow = "SELECT sum(hash(range::VARCHAR) % 7)::BIGINT AS sum FROM range(1000000)";

/** Longer than a test. */
const maxWaitMs = 3_600_000;
const isAlwaysFree = { isEngineFree: () => true, maxWaitMs };

async function openConnection(threads = 2) {
  const instance = await DuckDBInstance.create(":memory:", { threads: String(threads) });
  const connection = await instance.connect();
  return {
    connection,
    run: vi.spyOn(connection, "run"),
    [Symbol.dispose]() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

describe.each([
  ["that is free", () => () => true, 0],
  ["that is not free", () => () => false, 1],
  [
    "that is free no more when the statement has begun",
    () => {
      let looks = 0;
      return () => ++looks < 3;
    },
    0,
  ],
] as const)("an engine %s", (_name, createIsFree, runs) => {
  it("runs a statement", async () => {
    using opened = await openConnection();
    const result = await runInEngine(opened.connection, slow, { isEngineFree: createIsFree(), maxWaitMs });
    expect(opened.run).toHaveBeenCalledTimes(runs);
    const expected = await opened.connection.run(slow);
    expect(await result.getRowsJS()).toEqual(await expected.getRowsJS());
  });

  it("tells why a statement fails", async () => {
    using opened = await openConnection();
    const run = (sql: string) =>
      runInEngine(opened.connection, sql, { isEngineFree: createIsFree(), maxWaitMs });
    await expect(run("SELECT error('no ' || range::VARCHAR) FROM range(7, 8)")).rejects.toThrow("no 7");
    await expect(run("SELECT nothing")).rejects.toThrow("nothing");
    await expect(run("COMMIT")).rejects.toThrow("no transaction");
  });
});

it("runs a statement that no thread of the engine takes", async () => {
  using opened = await openConnection(1);
  const result = await runInEngine(opened.connection, "SELECT 7", { ...isAlwaysFree, maxWaitMs: 10 });
  expect(await result.getRowsJS()).toEqual([[7]]);
});

it("runs a statement once with a version of the library that lacks its private member", async () => {
  using opened = await openConnection();
  const { connection } = opened;
  const prepare = connection.prepare.bind(connection);
  vi.spyOn(connection, "prepare").mockImplementation(async (sql) => {
    const prepared = await prepare(sql);
    const pending = prepared.start();
    vi.spyOn(prepared, "start").mockReturnValue({
      getResult: () => pending.getResult(),
    } as DuckDBPendingResult);
    return prepared;
  });
  await runInEngine(connection, "CREATE TABLE created AS SELECT 7", isAlwaysFree);
  const created = await connection.run("FROM created");
  expect(await created.getRowsJS()).toEqual([[7]]);
});

it("is not waited for by a store whose engine has no thread of its own", async () => {
  await using world = await createDuckDbWorld();
  await using store = await openDuckDbStore({ ...world.options, threads: 1, maxLogBytes: 1 });
  const { to, ...batch } = await new Batches(world.folder).next({ ...vocabulary, events: [eventOf()] });
  await store.load({ ...batch, to });
  expect(store.settledTo()).toEqual(to);
  expect(await recordsOf(store)).toHaveLength(1);
});
