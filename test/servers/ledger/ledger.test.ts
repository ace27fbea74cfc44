import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ledger, migrateLedger, openLedger } from "../../../store/events/ledger/ledger.ts";
import type { BatchEnd, LoadedProject } from "../../../store/events/ledger/load.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await openPostgresServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface World extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly schema: string;
  /** The time of the ledger. */
  nowMs: number;
  /** Gives a lease a new token. */
  acquire(name: string): number;
}

async function openWorld(): Promise<World> {
  const schema = `ledger_${++schemas}`;
  await migrateLedger(server, schema);
  server.query(`CREATE TABLE ${schema}.leases (name text PRIMARY KEY, token bigint NOT NULL)`);
  const world: World = {
    nowMs: 1_000_000_000,
    schema,
    ledger: await openLedger({ url: server.url, schema, now: () => world.nowMs }),
    acquire(name: string) {
      const inserted = server.query(
        `INSERT INTO ${schema}.leases AS l VALUES ('${name}', 1) ON CONFLICT (name)
         DO UPDATE SET token = l.token + 1 RETURNING token`,
      );
      return Number(inserted);
    },
    async [Symbol.asyncDispose]() {
      await world.ledger[Symbol.asyncDispose]();
    },
  };
  return world;
}

const place = (offset: number) => ({ number: 0, offset });
const buy = { name: "buy", number: 1 };
const price = { table: "event", name: "price", number: 1, type: "number" } as const;
const nothingNew = { newEvents: [], newProperties: [], days: [] };
const project = (more: Partial<LoadedProject> = {}): LoadedProject => ({
  ...nothingNew,
  projectId: 7,
  ...more,
});

async function begin(ledger: Ledger, spool: string, to: number, token?: number): Promise<number> {
  const fence = token === undefined ? undefined : { name: spool, token };
  const { number } = await ledger.call("beginBatch", { spool, to: place(to), projects: [7], fence });
  return number!;
}

function complete(ledger: Ledger, batch: Omit<BatchEnd, "to" | "fence" | "projects"> & Partial<BatchEnd>) {
  return ledger.call("completeBatch", {
    to: place(batch.number * 100),
    fence: undefined,
    projects: [project()],
    ...batch,
  });
}

/** Loads one batch without rows. */
async function load(ledger: Ledger, spool: string, more: Partial<LoadedProject> = {}): Promise<number> {
  const number = await begin(ledger, spool, 1_000_000);
  await complete(ledger, { number, spool, projects: [project(more)] });
  return number;
}

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
      events: [buy],
      properties: [price],
      removedEvents: [],
      removedProperties: [],
      dropped: undefined,
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
  it("drops days up to the watermark, unless the project has changed", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const days = [
      [1, 10],
      [2, 20],
    ] as const;
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

  it("hides removed names until their numbers are free", async () => {
    await using world = await openWorld();
    const { ledger } = world;
    const days = [
      [1, 10],
      [2, 20],
    ] as const;
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
    const schema = `ledger_${++schemas}`;
    await expect(openLedger({ url: server.url, schema })).rejects.toMatchObject({ name: "EventsOpenError" });
    const all = await Promise.all([migrateLedger(server, schema), migrateLedger(server, schema)]);
    expect(all.map(({ from, to }) => [from, to]).sort()).toEqual([
      [0, 1],
      [1, 1],
    ]);
    await using ledger = await openLedger({ url: server.url, schema });
    expect(ledger.now()).toBeGreaterThan(0);
  });

  it("that is unavailable is an error of the port", async () => {
    const gone = openLedger({ url: "postgresql://engage@127.0.0.1:1/postgres", schema: "ledger" });
    await expect(gone).rejects.toMatchObject({ name: "EventsUnavailableError" });
  });
});
