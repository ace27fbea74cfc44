import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it, vi } from "vitest";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import { runInEngine } from "../../../../store/events/duckdb/run-in-engine.ts";
import { Batches, eventOf, recordsOf, vocabulary } from "../../../conformance/events/world.ts";
import { createDuckDbWorld } from "./duckdb-world.ts";

/** Takes longer than the first looks at it. */
const slow = "SELECT sum(hash(range::VARCHAR) % 7)::BIGINT AS sum FROM range(1000000)";

async function openConnection() {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
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
    const result = await runInEngine(opened.connection, slow, createIsFree());
    expect(opened.run).toHaveBeenCalledTimes(runs);
    const expected = await opened.connection.run(slow);
    expect(await result.getRowsJS()).toEqual(await expected.getRowsJS());
  });

  it("tells why a statement fails", async () => {
    using opened = await openConnection();
    const fails = "SELECT error('no ' || range::VARCHAR) FROM range(7, 8)";
    await expect(runInEngine(opened.connection, fails, createIsFree())).rejects.toThrow("no 7");
    await expect(runInEngine(opened.connection, "SELECT nothing", createIsFree())).rejects.toThrow("nothing");
    await expect(runInEngine(opened.connection, "COMMIT", createIsFree())).rejects.toThrow("no transaction");
  });
});

it("is not waited for by a store whose engine has no thread of its own", async () => {
  await using world = await createDuckDbWorld();
  await using store = await openDuckDbStore({ ...world.options, threads: 1, maxLogBytes: 1 });
  const { to, ...batch } = await new Batches(world.folder).next({ ...vocabulary, events: [eventOf()] });
  await store.load({ ...batch, to });
  expect(store.settledTo()).toEqual(to);
  expect(await recordsOf(store)).toHaveLength(1);
});
