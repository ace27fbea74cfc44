import { describe, expect, it } from "vitest";
import { begin, buy, complete, load, openWorld, place, price, project, useServer } from "./world.ts";

useServer();

describe("batches", () => {
  it("are visible as a whole, with their names and place", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    expect(await ledger.call("readHead", 7)).toBeUndefined();
    const number = await begin(ledger, "main", 100);
    expect(await ledger.call("readState", 7)).toBeUndefined();
    expect(await ledger.call("loadedTo", "main")).toBeUndefined();
    const days = [
      [3, 20],
      [-1, 5],
    ] as const;
    const projects = [project({ newEvents: [buy], newProperties: [price], days })];
    await complete(ledger, { number, spool: "main", to: place(100), projects });
    expect(await ledger.call("readState", 7)).toEqual({
      projectId: 7,
      version: 1,
      generation: 1,
      watermark: number,
      hiddenBatches: [],
      removals: 0,
      mayHaveUpdatable: false,
      events: [buy],
      properties: [price],
      removedEvents: [],
      removedProperties: [],
      dropped: undefined,
      deletions: [],
      cohorts: [],
    });
    expect(await ledger.call("loadedTo", "main")).toEqual(place(100));
    expect(await ledger.call("readDays", 7)).toEqual([
      { day: -1, events: 5, isSettled: false },
      { day: 3, events: 20, isSettled: false },
    ]);
    expect(await ledger.call("countEvents", 7, 0, 3)).toBe(20);
    expect(await ledger.call("countEvents", 8, 0, 3)).toBe(0);
  });

  it("tell for ever when one of the project has had updatable events", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    await load(ledger, "a");
    await load(ledger, "b", { projectId: 9, hasUpdatable: true });
    await load(ledger, "c", { projectId: 9, hasUpdatable: false });
    expect(await ledger.call("readHeads")).toMatchObject([
      { projectId: 7, mayHaveUpdatable: false },
      { projectId: 9, mayHaveUpdatable: true },
    ]);
  });

  it("up to a place that is loaded get no number", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const number = await begin(ledger, "main", 100);
    await complete(ledger, { number, spool: "main", to: place(100) });
    const again = { spool: "main", to: place(100), projects: [7], fence: undefined };
    expect(await ledger.call("beginBatch", again)).toEqual({ number: undefined, loadedTo: place(100) });
    expect(await begin(ledger, "main", 101)).toBeGreaterThan(number);
    expect(await begin(ledger, "other", 100)).toBeGreaterThan(number);
  });

  it("raise the version of their projects, and the generation only with new names", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    await load(ledger, "a", { newEvents: [buy] });
    await load(ledger, "b");
    await load(ledger, "c", { newProperties: [price] });
    await load(ledger, "d", { projectId: 9 });
    expect(await ledger.call("readHeads")).toMatchObject([
      { projectId: 7, version: 3, generation: 2 },
      { projectId: 9, version: 1, generation: 1 },
    ]);
  });

  it("fail as a whole when a number is taken", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    await load(ledger, "main", { newEvents: [buy] });
    const before = [await ledger.call("readState", 7), await ledger.call("loadedTo", "main")];
    const number = await begin(ledger, "main", 2_000_000);
    const projects = [project({ newEvents: [{ name: "other", number: 1 }] })];
    await expect(complete(ledger, { number, spool: "main", projects })).rejects.toThrow();
    expect([await ledger.call("readState", 7), await ledger.call("loadedTo", "main")]).toEqual(before);
  });
});

describe("an attempt that was given up", () => {
  it("never becomes visible, and its rows are hidden below the watermark", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const dead = await begin(ledger, "main", 100);
    const number = await begin(ledger, "main", 100);
    await expect(complete(ledger, { number: dead, spool: "main" })).rejects.toMatchObject({
      name: "BatchGivenUpError",
    });
    await complete(ledger, { number, spool: "main", to: place(100) });
    await expect(complete(ledger, { number, spool: "main" })).rejects.toThrow("was given up");
    expect(await ledger.call("readHead", 7)).toMatchObject({ watermark: number, hiddenBatches: [dead] });
  });

  it("is given up by its own loader", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const number = await begin(ledger, "main", 100);
    await ledger.call("abandonBatch", number);
    await expect(complete(ledger, { number, spool: "main" })).rejects.toThrow("was given up");
    expect(await ledger.call("garbageBatches", 10)).toEqual([{ number, projects: [7] }]);
  });

  it("is forgotten after its rows were deleted twice, a day apart", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const dead = await begin(ledger, "main", 100);
    const number = await begin(ledger, "main", 100);
    await complete(ledger, { number, spool: "main", to: place(100) });
    expect(await ledger.call("garbageBatches", 10)).toEqual([{ number: dead, projects: [7] }]);
    await ledger.call("garbageDeleted", dead);
    expect(await ledger.call("garbageBatches", 10)).toEqual([]);
    world.nowMs += 86_400_000;
    expect(await ledger.call("garbageBatches", 10)).toEqual([{ number: dead, projects: [7] }]);
    expect(await ledger.call("readHead", 7)).toMatchObject({ hiddenBatches: [dead] });
    await ledger.call("garbageDeleted", dead);
    expect(await ledger.call("readHead", 7)).toMatchObject({ hiddenBatches: [] });
    expect(await ledger.call("garbageBatches", 10)).toEqual([]);
  });
});

describe("the deletion of an attempt's rows", () => {
  it("counts once when several processes have deleted them", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const dead = await begin(ledger, "main", 100);
    const number = await begin(ledger, "main", 100);
    await complete(ledger, { number, spool: "main", to: place(100) });
    await ledger.call("garbageDeleted", dead);
    await ledger.call("garbageDeleted", dead);
    expect(await ledger.call("readHead", 7)).toMatchObject({ hiddenBatches: [dead] });
    world.nowMs += 86_400_000;
    expect(await ledger.call("garbageBatches", 10)).toEqual([{ number: dead, projects: [7] }]);
  });
});

describe("a fence", () => {
  it("refuses a loader whose lease another one has acquired", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const old = world.acquire("main");
    const number = await begin(ledger, "main", 100, old);
    const fence = { name: "main", token: world.acquire("main") };
    const lost = { name: "LeaseLostError" };
    await expect(
      complete(ledger, { number, spool: "main", fence: { name: "main", token: old } }),
    ).rejects.toMatchObject(lost);
    await expect(begin(ledger, "main", 100, old)).rejects.toMatchObject(lost);
    const next = await begin(ledger, "main", 100, fence.token);
    await complete(ledger, { number: next, spool: "main", fence });
    expect(await ledger.call("readHead", 7)).toMatchObject({ watermark: next, hiddenBatches: [number] });
  });
});

describe("several spools", () => {
  it("load one project without showing a part of a batch", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const slow = await begin(ledger, "a", 100);
    const quick = await begin(ledger, "b", 100);
    await complete(ledger, { number: quick, spool: "b" });
    expect(await ledger.call("readHead", 7)).toMatchObject({ watermark: quick, hiddenBatches: [slow] });
    await complete(ledger, { number: slow, spool: "a" });
    expect(await ledger.call("readHead", 7)).toMatchObject({ watermark: quick, hiddenBatches: [] });
  });

  it("keep their places apart, and give up only their own attempts", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const number = await begin(ledger, "a", 100);
    await load(ledger, "b");
    await complete(ledger, { number, spool: "a", to: place(100) });
    expect(await ledger.call("loadedTo", "a")).toEqual(place(100));
  });

  it("never lower the watermark, in any order of loaders", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    let before = 0;
    for (let round = 0; round < 5; round++) {
      const spools = ["a", "b", "c", "d"];
      const to = (round + 1) * 100;
      const numbers = await Promise.all(spools.map((spool) => begin(ledger, spool, to)));
      await Promise.all(
        spools.map(async (spool, at) => {
          await complete(ledger, { number: numbers[at]!, spool, to: place(to) });
          const { watermark } = (await ledger.call("readHead", 7))!;
          expect(watermark).toBeGreaterThanOrEqual(before);
        }),
      );
      const head = (await ledger.call("readHead", 7))!;
      expect(head).toMatchObject({ watermark: Math.max(...numbers), hiddenBatches: [] });
      before = head.watermark;
    }
    expect((await ledger.call("readHead", 7))!.version).toBe(20);
  });
});
