import { copyFileSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import { Batches, eventOf, vocabulary } from "../../../conformance/events/world.ts";
import { createDuckDbWorld } from "./duckdb-world.ts";

it("keeps its file as it is while loads wait and queries run", async () => {
  await using world = await createDuckDbWorld();
  await using store = await openDuckDbStore(world.options);
  const batches = new Batches(world.folder);
  await store.load(await batches.next({ ...vocabulary, events: [eventOf()] }));
  const release = await store.hold();
  const file = join(world.options.folder, "events.duckdb");
  const before = readFileSync(file);
  const copied = join(world.options.folder, "..", "copied");
  await mkdir(copied);
  let isLoaded = false;
  const loading = store.load(await batches.next({ events: [eventOf(), eventOf()] })).then(() => {
    isLoaded = true;
  });
  expect((await store.stats()).projects).toMatchObject([{ events: 1 }]);
  copyFileSync(file, join(copied, "events.duckdb"));
  expect([isLoaded, readFileSync(file).equals(before)]).toEqual([false, true]);
  release();
  await loading;
  expect((await store.stats()).projects).toMatchObject([{ events: 3 }]);
  await using copy = await openDuckDbStore({ ...world.options, folder: copied });
  expect((await copy.stats()).projects).toMatchObject([{ events: 1 }]);
  expect(await copy.check(new AbortController().signal)).toEqual([]);
});
