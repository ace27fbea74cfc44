import { describe, expect, it } from "vitest";
import { migrateLedger, openLedger } from "../../../store/events/ledger/ledger.ts";
import { buy, load, openWorld, price, server, useServer } from "./world.ts";

useServer();

describe("cohorts", () => {
  const cohort = { projectId: 7, name: "vip", day: "2026-01-05", kind: "cohort" } as const;

  it("replace the version of their day, whose rows are deleted later", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const first = await ledger.call("beginCohort", 7);
    await ledger.call("completeCohort", first, cohort, 3);
    const second = await ledger.call("beginCohort", 7);
    expect((await ledger.call("readState", 7))!.cohorts).toMatchObject([{ members: 3, batch: first }]);
    await ledger.call("completeCohort", second, cohort, 4);
    const state = (await ledger.call("readState", 7))!;
    const { projectId: _projectId, ...stored } = cohort;
    expect(state).toMatchObject({
      generation: 2,
      hiddenBatches: [],
      cohorts: [{ ...stored, members: 4, batch: second }],
    });
    expect(await ledger.call("garbageBatches", 10)).toEqual([]);
    world.nowMs += 3_600_000;
    expect(await ledger.call("garbageBatches", 10)).toEqual([{ number: first, projects: [7] }]);
  });

  it("are given up when the import does not end within a day", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const number = await ledger.call("beginCohort", 7);
    world.nowMs += 86_400_001;
    expect(await ledger.call("garbageBatches", 10)).toEqual([{ number, projects: [7] }]);
    await expect(ledger.call("completeCohort", number, cohort, 3)).rejects.toThrow("was given up");
    expect(await ledger.call("readState", 7)).toBeUndefined();
  });
});

describe("upkeep", () => {
  const days = [
    [1, 10],
    [2, 20],
  ] as const;

  it("drops days up to the watermark, unless the project has changed", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const number = await load(ledger, "a", { days });
    const changed = { projectId: 7, version: 0 };
    await expect(ledger.call("dropDays", changed, 2)).rejects.toMatchObject({ name: "ProjectChangedError" });
    await ledger.call("dropDays", { projectId: 7, version: 1 }, 2);
    const dropped = { beforeMs: 2 * 86_400_000, watermark: number };
    expect(await ledger.call("readState", 7)).toMatchObject({ version: 2, generation: 2, dropped });
    expect(await ledger.call("readDays", 7)).toMatchObject([{ day: 2 }]);
    expect(await ledger.call("droppedBefore", 7, world.nowMs - 1)).toBeUndefined();
    expect(await ledger.call("droppedBefore", 7, world.nowMs)).toEqual(dropped);
    await ledger.call("droppedDeleted", 7, number - 1);
    expect(await ledger.call("readState", 7)).toMatchObject({ dropped });
    await ledger.call("droppedDeleted", 7, number);
    expect(await ledger.call("readState", 7)).toMatchObject({ generation: 3, dropped: undefined });
  });

  it("settles a day until more events are loaded", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    await load(ledger, "a", { days: [[1, 10]] });
    const [day] = await ledger.call("readDays", 7);
    await load(ledger, "b", { days: [[1, 1]] });
    expect(await ledger.call("settleDay", 7, day!)).toBe(false);
    const [later] = await ledger.call("readDays", 7);
    expect(later).toEqual({ day: 1, events: 11, isSettled: false });
    expect(await ledger.call("settleDay", 7, later!)).toBe(true);
    expect(await ledger.call("readDays", 7)).toEqual([{ day: 1, events: 11, isSettled: true }]);
    await load(ledger, "c", { days: [[1, 1]] });
    expect(await ledger.call("readDays", 7)).toEqual([{ day: 1, events: 12, isSettled: false }]);
  });

  it("refuses a batch whose numbers were read before names were removed", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    await load(ledger, "a", { newEvents: [buy], newProperties: [price], removals: 0 });
    await ledger.call("beginRemoval", { projectId: 7, version: 1, events: [1], properties: [], days: [] });
    expect(await ledger.call("readHead", 7)).toMatchObject({ removals: 1 });
    await expect(load(ledger, "b", { removals: 0 })).rejects.toMatchObject({
      name: "NamesRemovedError",
      message: "names of project 7 were removed while a batch was prepared, which is prepared again",
    });
    expect(await ledger.call("readHead", 7)).toMatchObject({ watermark: 1 });
    await load(ledger, "c", { removals: 1 });
    expect(await ledger.call("readHead", 7)).toMatchObject({ watermark: 3 });
  });

  it("has a deletion until its rows are gone, without its events of each day", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    await load(ledger, "a", { newEvents: [buy], newProperties: [price], days });
    const { version } = (await ledger.call("readHead", 7))!;
    const rows = {
      watermark: 1,
      hiddenBatches: [],
      startMs: -5,
      endMs: undefined,
      events: [1, 2],
      users: undefined,
    };
    const deletion = { projectId: 7, version, rows, days: [[1, 10] as const] };
    const number = await ledger.call("beginDeletion", deletion);
    await expect(ledger.call("beginDeletion", deletion)).rejects.toMatchObject({
      name: "ProjectChangedError",
    });
    const state = (await ledger.call("readState", 7))!;
    expect(state.deletions).toEqual([{ number, ...rows }]);
    expect((await ledger.call("readDays", 7)).map(({ day }) => day)).not.toContain(1);
    await ledger.call("deletionDone", 7, number);
    expect(await ledger.call("readState", 7)).toMatchObject({
      deletions: [],
      generation: state.generation + 1,
    });
  });

  it("hides removed names until their numbers are free", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    await load(ledger, "a", { newEvents: [buy], newProperties: [price], days });
    const removal = {
      projectId: 7,
      version: 1,
      events: [1],
      properties: [1],
      days: [
        [1, 10],
        [2, 5],
      ] as const,
    };
    await ledger.call("beginRemoval", removal);
    await expect(ledger.call("beginRemoval", removal)).rejects.toMatchObject({ name: "ProjectChangedError" });
    const hidden = { events: [], properties: [], removedEvents: [1], removedProperties: [1] };
    expect(await ledger.call("readState", 7)).toMatchObject(hidden);
    expect(await ledger.call("readDays", 7)).toMatchObject([{ day: 2, events: 15 }]);
    await expect(load(ledger, "b", { newEvents: [{ name: "x", number: 1 }] })).rejects.toThrow();
    const unfinished = await ledger.call("unfinishedRemoval", 7);
    expect(unfinished).toEqual({ events: [1], properties: [{ number: 1, table: "event" }] });
    await ledger.call("removalDone", 7, unfinished);
    await load(ledger, "c", { newEvents: [{ name: "x", number: 1 }] });
    expect(await ledger.call("readState", 7)).toMatchObject({
      events: [{ name: "x", number: 1 }],
      removedEvents: [],
    });
  });

  it("remembers watermarks of the past", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    expect(await ledger.call("watermarkAt", 7, world.nowMs)).toBeUndefined();
    const first = await load(ledger, "a");
    world.nowMs += 599_999;
    await load(ledger, "b");
    world.nowMs += 2;
    const third = await load(ledger, "c");
    expect(await ledger.call("watermarkAt", 7, world.nowMs - 1)).toBe(first);
    expect(await ledger.call("watermarkAt", 7, world.nowMs)).toBe(third);
    world.nowMs += 2 * 86_400_000;
    const last = await load(ledger, "d");
    expect(await ledger.call("watermarkAt", 7, world.nowMs - 1)).toBeUndefined();
    expect(await ledger.call("watermarkAt", 7, world.nowMs)).toBe(last);
  });
});

describe("the database", () => {
  it("is migrated once, and checked when it is opened", async () => {
    const schema = "ledger_new";
    await expect(openLedger({ url: server.url, schema })).rejects.toMatchObject({ name: "EventsOpenError" });
    const all = await Promise.all([migrateLedger(server, schema), migrateLedger(server, schema)]);
    expect(all.map(({ from, to }) => [from, to]).sort()).toEqual([
      [0, 4],
      [4, 4],
    ]);
    await using ledger = await openLedger({ url: server.url, schema });
    expect(ledger.now()).toBeGreaterThan(0);
  });

  it("that is unavailable is an error of the port", async () => {
    const gone = openLedger({ url: "postgresql://engage@127.0.0.1:1/postgres", schema: "ledger" });
    await expect(gone).rejects.toMatchObject({ name: "EventsUnavailableError" });
  });
});
