import { join } from "node:path";
import { expect, it } from "vitest";
import { Database } from "../../../store/events/duckdb/database.ts";
import { openDuckDbStore } from "../../../store/events/duckdb/duckdb.ts";
import { loadBatch } from "../../../store/events/duckdb/load/load.ts";
import { storeStats } from "../../../store/events/duckdb/query/stats.ts";
import { createWriter } from "../../../store/events/duckdb/writer.ts";
import type { EventStore } from "../../../store/events/events.ts";
import { noonMs } from "../../conformance/events/world.ts";
import { createDuckDbWorld, smallStore } from "../../store/events/duckdb/duckdb-world.ts";
import { expectedStats, levelsOf, writeNumberedBatch } from "../../store/events/duckdb/numbered-batch.ts";
import { mountSmallDisk } from "../inbox/small-disk.ts";

const mib = 1_048_576;
const signal = () => new AbortController().signal;

/** Loads until a batch is refused; resolves to the last that was loaded and what refused the next. */
async function loadUntilRefused(
  store: EventStore,
  folder: string,
  from: number,
): Promise<{ readonly last: number; readonly error: Error }> {
  for (let number = from; ; number++) {
    const batch = await writeNumberedBatch(folder, number);
    const error = await store.load(batch).then(
      () => undefined,
      (refusal: Error) => refusal,
    );
    if (error !== undefined) return { last: number - 1, error };
  }
}

async function expectWhole(store: EventStore, last: number): Promise<void> {
  expect(store.loadedTo()).toEqual({ number: 0, offset: last });
  expect((await store.stats()).projects).toMatchObject([expectedStats(last)]);
  expect(await levelsOf(store)).toEqual(Array.from({ length: 50 }, () => last));
  expect(await store.check(signal())).toEqual([]);
}

it("takes no batch by halves on a full disk, and goes on by itself when there is room", async () => {
  await using world = await createDuckDbWorld();
  using disk = mountSmallDisk(48 * mib);
  const folder = join(disk.path, "events");
  const options = { ...smallStore, folder, stagingFolder: world.folder };
  let store = await openDuckDbStore(options);
  let last = 0;
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 5; n++) await store.load(await writeNumberedBatch(world.folder, ++last));
    disk.fill();
    const { last: reached, error } = await loadUntilRefused(store, world.folder, last + 1);
    expect(error.name).toBe("EventsUnavailableError");
    expect(error.message).toMatch(/no space left/i);
    last = reached;
    await expectWhole(store, last);
    disk.free();
    await store.load(await writeNumberedBatch(world.folder, ++last));
    await expectWhole(store, last);
  }
  await store[Symbol.asyncDispose]();
  store = await openDuckDbStore(options);
  await expectWhole(store, last);
  await store[Symbol.asyncDispose]();
});

it("loses nothing when upkeep and closing meet a full disk", async () => {
  await using world = await createDuckDbWorld();
  using disk = mountSmallDisk(48 * mib);
  const folder = join(disk.path, "events");
  const options = { ...smallStore, folder, stagingFolder: world.folder };
  const store = await openDuckDbStore(options);
  for (let n = 1; n <= 5; n++) await store.load(await writeNumberedBatch(world.folder, n));
  disk.fill();
  const upkeep = { nowMs: noonMs + 90 * 86_400_000, keepDays: new Map<number, number>(), signal: signal() };
  const outcome = await store.compact(upkeep).then(
    () => "done",
    (error: Error) => error.name,
  );
  expect(["done", "EventsUnavailableError"]).toContain(outcome);
  await expectWhole(store, 5);
  await store[Symbol.asyncDispose]();
  disk.free();
  await using again = await openDuckDbStore(options);
  await expectWhole(again, 5);
  await again.load(await writeNumberedBatch(world.folder, 6));
  expect(await again.compact({ ...upkeep, signal: signal() })).toMatchObject({ droppedDays: 0 });
  await expectWhole(again, 6);
});

it("opens its file again after a checkpoint that ends the engine, also while the disk is still full", async () => {
  await using world = await createDuckDbWorld();
  using disk = mountSmallDisk(48 * mib);
  const folder = join(disk.path, "events");
  const options = { ...smallStore, folder, stagingFolder: world.folder };
  const database = await Database.open(options);
  const writer = createWriter(database);
  const load = async (number: number) =>
    loadBatch(writer, await writeNumberedBatch(world.folder, number), database.scratchFolder);
  for (let n = 1; n <= 20; n++) await load(n);
  await using held = await database.session();
  await held.run("CREATE TEMP TABLE held AS SELECT 1 AS one");
  disk.fill();
  await writer.checkpoint();
  expect(await held.rows("FROM held")).toEqual([[1]]);
  const checkpoint = await database.session();
  await expect(checkpoint.run("CHECKPOINT")).rejects.toMatchObject({ name: "EventsUnavailableError" });
  await expect(held.run("FROM held")).rejects.toMatchObject({ name: "EventsUnavailableError" });
  const stats = await storeStats(database);
  expect(stats.projects).toMatchObject([expectedStats(20)]);
  await expect(held.run("FROM held")).rejects.toMatchObject({ name: "EventsUnavailableError" });
  await writer.checkpoint();
  disk.free();
  await load(21);
  await writer.checkpoint();
  expect((await storeStats(database)).projects).toMatchObject([expectedStats(21)]);
  await database.close();
});
