import { expect, it, onTestFinished } from "vitest";
import { compareStores } from "../../../../cmd/serve/move/compare.ts";
import type { EventStore } from "../../../../store/events/events.ts";
import {
  Batches,
  dayMs,
  eventOf,
  login,
  noonMs,
  properties,
  type Rows,
  updateOf,
  userOf,
  vocabulary,
} from "../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../../../store/events/duckdb/duckdb-world.ts";

const { price, city, gift, tags, nick, level } = properties;
const never = new AbortController().signal;

const rows: Rows = {
  ...vocabulary,
  events: [
    eventOf({ p: { [price.number]: 1.5, [city.number]: "Bonn", [gift.number]: true, [tags.number]: ["a"] } }),
    eventOf({ e: login.number, u: 2, t: noonMs + dayMs, p: { [price.number]: -2 } }),
  ],
  updates: [updateOf({ p: { [price.number]: 7 } })],
  users: [
    userOf("set", { a: "ada", p: { [nick.number]: "A", [level.number]: 3 } }),
    userOf("seen", { u: 2, d: "phone" }),
  ],
};

async function openStore(given: Rows, cohort = "vips"): Promise<EventStore> {
  const world = await createDuckDbWorld();
  const store = await world.open();
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  await store.load(await new Batches(world.folder).next(given));
  const members = (async function* () {
    yield [{ accountId: "ada" }];
  })();
  await store.importCohort({ projectId: 1, name: cohort, day: "2026-01-05", kind: "cohort" }, members);
  return store;
}

it("finds no difference between stores with the same data", async () => {
  const { lines, count } = await compareStores(await openStore(rows), await openStore(rows), never);
  expect(count).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^project 1: 3 events and 2 users, the same in 1[5-9] comparisons$/),
  ]);
});

const changed = (changes: Partial<Rows>): Rows => ({ ...rows, ...changes });
const [first, second] = rows.events!;

it.each<[what: string, given: Rows, line: string]>([
  [
    "an event on another day",
    changed({ events: [first!, { ...second!, t: noonMs + 2 * dayMs }] }),
    'project 1: events by name and day: ["Login"] at 2026-01-06T00:00:00.000Z: 1 before, 0 now',
  ],
  ["an event less", changed({ events: [first!] }), "project 1: counts: events: 2 before, 1 now"],
  [
    "a number that differs",
    changed({ events: [{ ...first!, p: { ...first!.p, [price.number]: 1.500_001 } }, second!] }),
    "project 1: numbers by event",
  ],
  [
    "a text that is missing",
    changed({ events: [{ ...first!, p: { [price.number]: 1.5 } }, second!] }),
    "project 1: different texts",
  ],
  [
    "a property of a user",
    changed({
      users: [userOf("set", { a: "ada", p: { [nick.number]: "B", [level.number]: 3 } }), rows.users![1]!],
    }),
    "project 1: users: their ids or properties differ",
  ],
  ["a user less", changed({ users: [rows.users![0]!] }), "project 1: counts: users: 2 before, 1 now"],
])("finds %s", async (_what, given, line) => {
  const { lines, count } = await compareStores(await openStore(rows), await openStore(given), never);
  expect(count).toBeGreaterThan(0);
  expect(lines.join("\n")).toContain(line);
});

it("finds a cohort that is missing, and a project", async () => {
  const { lines } = await compareStores(await openStore(rows), await openStore(rows, "others"), never);
  expect(lines).toContain('project 1: cohorts: cohort "vips" of 2026-01-05 with 1 member is missing');
  expect(lines).toContain(
    'project 1: cohorts: cohort "others" of 2026-01-05 with 1 member was not there before',
  );
  const other = await openStore({ ...rows, projectId: 2 });
  const found = await compareStores(await openStore(rows), other, never);
  expect(found.lines).toContain("project 1: counts: events: 2 before, 0 now");
});
