import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { maxPropertiesOf } from "../../../../services/event/config.ts";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import {
  EventsMemoryError,
  type PreparedEvent,
  type Property,
  type PropertyTable,
} from "../../../../store/events/events.ts";
import { Batches, dayMs, eventOf, noonMs, updateOf, userOf } from "../../../conformance/events/world.ts";
import { createDuckDbWorld, smallStore } from "./duckdb-world.ts";

const noSignal = new AbortController().signal;
/** More of a day than the engine keeps in small blocks, which hold 2,048. */
const rows = 2_500;

const memoryBytes = smallStore.memoryLimitBytes;
const width = maxPropertiesOf({ engine: { memoryBytes } });

function wide(table: PropertyTable, first: number): readonly Property[] {
  return Array.from({ length: width }, (_, at) => ({
    table,
    name: `p${at}`,
    number: first + at,
    type: at % 2 === 0 ? "text" : "number",
  }));
}

const ofEvents = wide("event", 1);
const ofUsers = wide("user", 1 + width);

/** A value of one property for each row, so that all come up. */
function valueIn(properties: readonly Property[], row: number): PreparedEvent["p"] {
  const { number, type } = properties[row % width]!;
  return { [number]: type === "text" ? `text ${row}` : row };
}

const times = <T>(count: number, make: (row: number) => T): T[] =>
  Array.from({ length: count }, (_, row) => make(row));
const events = (count: number) =>
  times(count, (row) => eventOf({ t: noonMs + row, p: valueIn(ofEvents, row) }));
const users = (shift: number) =>
  times(rows, (row) => userOf("set", { u: 1 + row, p: valueIn(ofUsers, row + shift) }));
const updates = (shift: number) =>
  times(rows, (row) => updateOf({ i: `id ${row}`, p: valueIn(ofEvents, row + shift) }));

it("loads, reads and compacts a project with as many properties as its memory allows", async () => {
  await using world = await createDuckDbWorld();
  const batches = new Batches(world.folder);
  await using store = await world.open();
  await store.load(
    await batches.next({
      newEvents: [{ name: "buy", number: 1 }],
      newProperties: [...ofEvents, ...ofUsers],
      events: events(1_000),
    }),
  );
  await store.load(await batches.next({ events: events(rows) }));
  for (const shift of [0, 1])
    await store.load(await batches.next({ users: users(shift), updates: updates(shift) }));
  // As a crash would leave it, with a log of all that.
  const folder = join(world.folder, "crashed");
  await cp(world.options.folder, folder, { recursive: true });
  await using crashed = await openDuckDbStore({ ...world.options, folder });
  const expected = { events: 1_000 + rows, updatableEvents: rows, users: rows, properties: 2 * width };
  expect(crashed.settledTo()).toBeUndefined();
  expect((await crashed.stats()).projects).toMatchObject([expected]);
  await store.compact({ nowMs: noonMs + 3 * dayMs, keepDays: new Map(), signal: noSignal });
  expect((await store.stats()).projects).toMatchObject([expected]);
  let exported = 0;
  const range = { projectId: 1, startMs: 0, endMs: noonMs + dayMs, users: true };
  for await (const records of store.export(range, noSignal)) exported += records.length;
  expect(exported).toBe(1_000 + 3 * rows);
}, 120_000);

it("compacts the other days when the memory is too small for one", async () => {
  await using world = await createDuckDbWorld();
  const batches = new Batches(world.folder);
  const open = (memoryMib: number) =>
    openDuckDbStore({ ...world.options, memoryLimitBytes: memoryMib * 1_048_576 });
  const compaction = { nowMs: noonMs + 3 * dayMs, keepDays: new Map(), signal: noSignal };
  {
    await using store = await open(512);
    const narrow = [-1, 1].map((days) => eventOf({ t: noonMs + days * dayMs }));
    await store.load(
      await batches.next({
        newEvents: [{ name: "buy", number: 1 }],
        newProperties: ofEvents,
        events: [...narrow, ...events(rows)],
      }),
    );
  }
  {
    await using store = await open(24);
    await expect(store.compact(compaction)).rejects.toThrow(EventsMemoryError);
  }
  await using store = await open(512);
  expect(await store.compact(compaction)).toMatchObject({ rewrittenDays: 1 });
}, 120_000);
