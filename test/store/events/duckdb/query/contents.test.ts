import { afterEach, beforeEach, expect, it } from "vitest";
import { PartChangedError, type StoredPart } from "../../../../../store/events/contents.ts";
import { type DuckDbStore, openDuckDbStore } from "../../../../../store/events/duckdb/duckdb.ts";
import {
  Batches,
  eventOf,
  noonMs,
  properties,
  type Rows,
  updateOf,
  userOf,
  vocabulary,
} from "../../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

let world: Awaited<ReturnType<typeof createDuckDbWorld>>;
let store: DuckDbStore;
let batches: Batches;

beforeEach(async () => {
  world = await createDuckDbWorld();
  store = await openDuckDbStore(world.options);
  batches = new Batches(world.folder);
  await store.load(await batches.next(vocabulary));
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const never = new AbortController().signal;
const load = async (rows: Rows): Promise<void> => void (await store.load(await batches.next(rows)));

async function partOf(name: string): Promise<StoredPart> {
  const [project] = await store.contents();
  return project!.parts.find((part) => part.name === name)!;
}

async function linesOf(part: StoredPart): Promise<unknown[]> {
  const lines: unknown[] = [];
  for await (const some of store.readPart(part, never)) for (const line of some) lines.push(JSON.parse(line));
  return lines;
}

it("lists names and parts, visitors before users", async () => {
  await load({
    events: [eventOf(), eventOf({ t: noonMs + 86_400_000 })],
    updates: [updateOf()],
    users: [userOf("seen", { a: "ada", d: "phone" })],
  });
  const members = (async function* () {
    yield [{ accountId: "ada", value: "gold" }];
  })();
  await store.importCohort({ projectId: 1, name: 'a "tag"', day: "2026-01-05", kind: "tag" }, members);
  const [project] = await store.contents();
  expect(project).toMatchObject({
    projectId: 1,
    events: vocabulary.newEvents,
    properties: vocabulary.newProperties,
  });
  expect(project!.parts.map(({ kind, name, rows }) => [kind, name, rows])).toEqual([
    ["day", "day 2026-01-05", 1],
    ["day", "day 2026-01-06", 1],
    ["updatable", "updatable events", 1],
    ["visitors", "visitors", 1],
    ["users", "users", 1],
    ["cohort", 'tag "a \\"tag\\"" of 2026-01-05', 1],
  ]);
  expect(await linesOf(project!.parts.at(-1)!)).toEqual([{ u: 1, v: "gold" }]);
  expect(await linesOf(await partOf("visitors"))).toEqual([{ d: "phone", u: 1 }]);
});

it("reads events as they were loaded, without nulls", async () => {
  const { price, city, at, gift, tags, address, zip, items, itemName, itemCount } = properties;
  const p = {
    [price.number]: 0.1,
    [city.number]: 'ä "b"\n',
    [at.number]: noonMs,
    [gift.number]: false,
    [tags.number]: ["x", ""],
    [address.number]: '{"zip":"0 1","n":1.50,"none":null}',
    [zip.number]: "0 1",
    [items.number]: '[{"name":"a"},{"count":2}]',
    [itemName.number]: ["a", null],
    [itemCount.number]: [null, 2],
  };
  const events = [eventOf({ p, d: "phone" }), eventOf({ u: 2, p: { [price.number]: -1e300 } })];
  await load({ events, updates: [updateOf({ p, o: "overwrite" })] });
  const read = (await linesOf(await partOf("day 2026-01-05"))) as { u: number }[];
  expect(read.toSorted((a, b) => a.u - b.u)).toEqual(events);
  expect(await linesOf(await partOf("updatable events"))).toEqual([updateOf({ p, o: "overwrite" })]);
});

it("reads users with empty lists and whole numbers", async () => {
  const { level, badges, born } = properties;
  const p = { [level.number]: 9_007_199_254_740_991, [badges.number]: [], [born.number]: -1 };
  await load({ users: [userOf("set", { a: "ada", p }), userOf("seen", { u: 2, d: "phone" })] });
  const read = (await linesOf(await partOf("users"))) as { u: number }[];
  expect(read.toSorted((a, b) => a.u - b.u)).toEqual([
    { u: 1, a: "ada", p },
    { u: 2, d: "phone", p: {} },
  ]);
});

it("refuses to read a part that has changed", async () => {
  await load({ events: [eventOf()] });
  const [day, users] = [await partOf("day 2026-01-05"), await partOf("users")];
  expect(users).toBeUndefined();
  await load({ events: [eventOf({ t: noonMs + 86_400_000 })] });
  expect(await linesOf(day)).toHaveLength(1);
  await load({ events: [eventOf()] });
  await expect(linesOf(day)).rejects.toThrow(
    new PartChangedError("day 2026-01-05 of project 1 has changed since it was listed"),
  );
  const changed = await partOf("day 2026-01-05");
  expect(changed.stamp).not.toBe(day.stamp);
  expect(await linesOf(changed)).toHaveLength(2);
});
