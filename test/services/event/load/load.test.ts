import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../../base/async/clock.ts";
import { createPreparer } from "../../../../services/event/load/prepare.ts";
import { PrepareWorkerDiedError } from "../../../../services/event/load/prepare-worker.ts";
import type { PrepareStart, PrepareTask } from "../../../../services/event/load/prepared.ts";
import { EventsMemoryError, EventsUnavailableError } from "../../../../store/events/events.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";
import { openRig, type Rig, track } from "./load-rig.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";

let folder = "";
let store: MemoryStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loader-"));
  store = createMemoryStore();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the stored values of property `n`, in their order. */
function storedNumbers({ rows }: MemoryStore): number[] {
  const number = store.schema(1).properties.get("event:n")?.number;
  return rows.events.map(({ p }) => p[String(number)] as number);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function appendAll(rig: Rig, count: number): Promise<void> {
  await Promise.all(numbers(count).map((n) => rig.append(track(n))));
}

describe("loader", () => {
  it("moves records into the store in their order, some at a time", async () => {
    await using rig = openRig({ folder, store, maxFileBytes: 3_000 });
    await appendAll(rig, 400);
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(400));
    expect(rig.batches.every(({ counts }) => counts.records <= 50)).toBe(true);
    expect(rig.faults).toEqual([]);
  });

  it("loads without being asked, when it is time", async () => {
    await using rig = openRig({ folder, store });
    await rig.append(track(0));
    await vi.waitFor(() => expect(storedNumbers(store)).toEqual([0]));
    await rig.append(track(1));
    await vi.waitFor(() => expect(storedNumbers(store)).toEqual([0, 1]));
  });

  it("waits for a batch's time unless a call waits for the records", async () => {
    await using rig = openRig({ folder, store, limits: { batchMs: 3_600_000 } });
    await rig.append(track(0));
    await rig.flush();
    await rig.append(track(1));
    await rig.append(track(2));
    await rig.flush();
    expect(rig.batches.map(({ counts }) => counts.records)).toEqual([1, 2]);
  });

  it("goes on loading when the clock of the computer is set back or forward", async () => {
    let setByMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + setByMs };
    await using rig = openRig({ folder, store, overrides: { clock } });
    for (const [at, byMs] of [-3_600_000, 25 * 3_600_000, 0].entries()) {
      await rig.append(track(at));
      await vi.waitFor(() => expect(storedNumbers(store)).toEqual(numbers(at + 1)));
      setByMs = byMs;
    }
  });

  it("begins a batch before its time when there is enough for it", async () => {
    await using rig = openRig({ folder, store, limits: { batchMs: 3_600_000, maxBytes: 2_000 } });
    await appendAll(rig, 100);
    await vi.waitFor(() => expect(store.rows.events.length).toBeGreaterThan(80));
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(100));
  });

  it("deletes what it has loaded, and leaves no rows", async () => {
    await using rig = openRig({ folder, store, maxFileBytes: 1_000 });
    await appendAll(rig, 100);
    await rig.flush();
    const { number } = await rig.spool.end();
    await vi.waitFor(() => expect(readdirSync(join(folder, "staging"))).toEqual([]));
    const names = readdirSync(join(folder, "spool"));
    expect(names).toEqual([`${String(number).padStart(12, "0")}.ndjson`]);
  });

  it("tells once of each project that it has as many properties as it may", async () => {
    await using rig = openRig({ folder, store, limits: { maxRecords: 1 }, overrides: { maxProperties: 2 } });
    for (const n of numbers(3)) await rig.append(track(n));
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(3));
    expect(rig.batches.map(({ counts }) => counts.dropped)).toEqual([
      {},
      { property_limit: 1 },
      { property_limit: 1 },
    ]);
    expect(rig.overLimit).toEqual([[1, "p1"]]);
  });

  it("tells once of each project that names of events are too many", async () => {
    const names = { maxEventNames: 1, maxNewNamesPerMinute: 10 };
    await using rig = openRig({ folder, store, limits: { maxRecords: 1 }, overrides: { names } });
    for (const n of numbers(4)) await rig.append({ ...track(n), "#event_name": `event${n}` });
    await rig.flush();
    expect(rig.limited).toEqual([{ projectId: 1, reason: "event_limit", name: "event1" }]);
    expect(rig.letters).toHaveLength(3);
    expect(rig.loader.rates(1)).toEqual(new Map());
  });

  it("reports its lag", async () => {
    await using rig = openRig({ folder, store, limits: { batchMs: 3_600_000 } });
    await rig.append(track(0));
    await rig.flush();
    expect(await rig.loader.status()).toEqual({ waitingBytes: 0, oldestMs: undefined });
    await rig.append(track(1));
    const status = await rig.loader.status();
    expect(status.waitingBytes).toBeGreaterThan(100);
    expect(status.oldestMs).toBe(Date.UTC(2026, 0, 2));
  });

  it("gives a flush up with its signal's reason", async () => {
    await using rig = openRig({
      folder,
      store,
      overrides: { store: { ...store, load: () => Promise.reject(new EventsUnavailableError("away")) } },
    });
    await rig.append(track(0));
    const reason = new Error("enough");
    await expect(rig.loader.flush(AbortSignal.abort(reason))).rejects.toBe(reason);
    const leaving = new AbortController();
    const flushed = rig.loader.flush(leaving.signal);
    leaving.abort(reason);
    await expect(flushed).rejects.toBe(reason);
  });

  it("keeps refused records before the batch is loaded", async () => {
    await using rig = openRig({ folder, store });
    await rig.append(track(0, { "#time": "2020-01-01 00:00:00" }), track(1));
    await rig.flush();
    expect(storedNumbers(store)).toEqual([1]);
    expect(rig.letters.map((line) => JSON.parse(line))).toMatchObject([{ reason: "time_too_old" }]);
  });
});

describe("loader after an end", () => {
  it("goes on where the store is, with the same users, and drops what was there before", async () => {
    for (const part of [0, 1, 2]) {
      await using rig = openRig({ folder, store, maxFileBytes: 2_000 });
      await Promise.all(numbers(50).map((n) => rig.append(track(part * 40 + n))));
      await rig.flush();
    }
    expect(storedNumbers(store)).toEqual(numbers(130));
    const usersOf = new Map<string, Set<number>>();
    for (const { a, u } of store.rows.events) usersOf.set(a!, (usersOf.get(a!) ?? new Set()).add(u));
    expect([...usersOf.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1, 1]);
  });

  it("removes rows that will never be loaded, and nothing else", async () => {
    const staging = join(folder, "staging");
    await using rig = openRig({ folder, store });
    await rig[Symbol.asyncDispose]();
    writeFileSync(join(staging, "1-0-1-day20000.ndjson"), "{}\n");
    writeFileSync(join(staging, "1-0-1-events.ndjson"), "{}\n");
    writeFileSync(join(staging, "notes.txt"), "");
    await using again = openRig({ folder, store });
    await again.append(track(0));
    await again.flush();
    await vi.waitFor(() => expect(readdirSync(staging)).toEqual(["notes.txt"]));
  });

  it("takes new records when the spool was removed", async () => {
    {
      await using rig = openRig({ folder, store });
      await appendAll(rig, 10);
      await rig.flush();
    }
    rmSync(join(folder, "spool"), { recursive: true });
    await using rig = openRig({ folder, store });
    await rig.flush();
    await rig.append(track(10));
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(11));
  });

  it("loads nothing when the intake is older than the store, and says so", async () => {
    {
      await using rig = openRig({ folder, store });
      await rig.append(track(0));
      await rig.flush();
    }
    for (const end of ["", "-wal"]) rmSync(join(folder, `intake.db${end}`), { force: true });
    await using rig = openRig({ folder, store });
    await rig.append(track(1));
    await vi.waitFor(() => expect(rig.faults.length).toBeGreaterThan(1));
    expect(String(rig.faults[0])).toMatch(/which the intake has not prepared: restore both together/);
    expect(storedNumbers(store)).toEqual([0]);
  });
});

describe("loader that is killed", () => {
  class Killed extends Error {}

  /** Simulates the end of the process at the given step: this step and all later ones throw. */
  function killAt(step: number): { gate: (name: string) => void; killed: Promise<string> } {
    const { promise: killed, resolve } = Promise.withResolvers<string>();
    let steps = 0;
    return {
      killed,
      gate(name) {
        if (steps++ < step) return;
        resolve(name);
        throw new Killed(name);
      },
    };
  }

  const steps = numbers(28);
  it.each(steps)("at step %i has every record once after it was started again", async (step) => {
    const all = numbers(60);
    const { gate, killed } = killAt(step);
    {
      await using rig = openRig({
        folder,
        store,
        gate,
        limits: { maxRecords: 20, batchMs: 0 },
        maxFileBytes: 2_500,
      });
      await Promise.all(all.slice(0, 40).map((n) => rig.append(track(n), track(n))));
      await Promise.race([killed, rig.flush()]);
      await setImmediate();
    }
    // The next process also loads the records of the previous one.
    await using rig = openRig({ folder, store, limits: { maxRecords: 20, batchMs: 0 }, maxFileBytes: 2_500 });
    await Promise.all(all.slice(35).map((n) => rig.append(track(n))));
    await rig.flush();
    expect(storedNumbers(store)).toEqual(all);
    const seen = new Set(store.rows.seen.map(({ u }) => u));
    expect([...seen].sort()).toEqual([...new Set(store.rows.events.map(({ u }) => u))].sort());
    expect(rig.faults).toEqual([]);
  });

  it("dies at each kind of step", async () => {
    const names = new Set<string>();
    for (const step of steps) {
      const own = mkdtempSync(join(folder, "run-"));
      const { gate, killed } = killAt(step);
      void killed.then((name) => names.add(name));
      await using rig = openRig({
        folder: own,
        store: createMemoryStore(),
        gate,
        limits: { maxRecords: 20, batchMs: 0 },
      });
      await appendAll(rig, 60);
      // The last steps follow the flush, and are done when the loader is disposed of.
      await Promise.race([killed, rig.flush()]);
    }
    const kinds = ["reset", "prepare", "load", "release"].flatMap((kind) => [
      `before ${kind}`,
      `after ${kind}`,
    ]);
    expect([...names].sort()).toEqual(kinds.sort());
  });
});

describe("loader with a store that fails", () => {
  it("waits while it is unavailable, with longer and longer pauses", async () => {
    let away = 6;
    const pauses: number[] = [];
    await using rig = openRig({
      folder,
      store,
      overrides: {
        store: {
          ...store,
          load: (batch) =>
            away-- > 0 ? Promise.reject(new EventsUnavailableError("disk full")) : store.load(batch),
        },
        delays: { minDelayMs: 1, maxDelayMs: 8 },
        observer: {
          loaded: () => {},
          overLimit: () => {},
          failed: (_error, delayMs) => void pauses.push(delayMs),
        },
      },
    });
    await appendAll(rig, 20);
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(20));
    expect(pauses).toEqual([1, 2, 4, 8, 8, 8]);
  });

  it("makes batches as small as the memory of the store needs them, and then larger again", async () => {
    const asked: number[] = [];
    const pauses: number[] = [];
    await using rig = openRig({
      folder,
      store,
      limits: { maxRecords: 2_000, maxBytes: 10_000_000, batchMs: 3_600_000 },
      overrides: {
        store: {
          ...store,
          load(batch) {
            const { events } = batch.projects[0]!.counts;
            asked.push(events);
            return events > 600 ? Promise.reject(new EventsMemoryError("too large")) : store.load(batch);
          },
        },
        observer: {
          loaded: () => {},
          overLimit: () => {},
          failed: (_error, delayMs) => void pauses.push(delayMs),
        },
      },
    });
    await rig.append(track(0));
    await rig.flush();
    await Promise.all(numbers(200).map((n) => rig.append(...numbers(10).map((i) => track(1 + n * 10 + i)))));
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(2_001));
    expect(asked.slice(0, 4)).toEqual([1, 2_000, 1_000, 500]);
    expect(Math.max(...asked.slice(4))).toBe(630);
    expect(new Set(pauses)).toEqual(new Set([1]));
  });

  it("waits for the memory of a batch that can't be smaller", async () => {
    let away = 4;
    await using rig = openRig({
      folder,
      store,
      limits: { maxRecords: 2_000, maxBytes: 1_000_000 },
      overrides: {
        store: {
          ...store,
          load: (batch) =>
            away-- > 0 ? Promise.reject(new EventsMemoryError("too large")) : store.load(batch),
        },
      },
    });
    await rig.append(...numbers(1_000).map((n) => track(n)));
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(1_000));
    expect(rig.letters).toEqual([]);
    expect(rig.faults).toHaveLength(4);
  });

  it("takes a batch for loaded when it failed after the commit", async () => {
    let isFirst = true;
    await using rig = openRig({
      folder,
      store,
      gate(step) {
        if (step !== "after load" || !isFirst) return;
        isFirst = false;
        throw new EventsUnavailableError("the answer was lost");
      },
    });
    await appendAll(rig, 5);
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(5));
    expect(rig.faults).toEqual([]);
  });

  it("puts the one line that can't be loaded among the dead letters, and loads all others", async () => {
    await using rig = openRig({
      folder,
      store,
      overrides: {
        store: {
          ...store,
          load(batch) {
            const file = batch.projects[0]?.days?.[0]?.file;
            const isBad = file !== undefined && readFileSync(file, "utf8").includes('"bad"');
            return isBad ? Promise.reject(new Error("no engine can load this")) : store.load(batch);
          },
        },
      },
    });
    await Promise.all(
      numbers(40).map((n) => rig.append(track(n, n === 23 ? { properties: { n, p: "bad" } } : {}))),
    );
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(40).filter((n) => n !== 23));
    const kept = new Set(rig.letters.map((line) => (JSON.parse(line) as { line: string }).line));
    expect([...kept]).toEqual([expect.stringContaining('"bad"')]);
  });
});

describe("loader whose thread dies", () => {
  /** Returns a worker that ends at a line with this text. Each line has one record. */
  function fragile(counter: { starts: number }, deadly: string) {
    return () => {
      counter.starts++;
      const intake = openSqliteIntake({ path: join(folder, "intake.db"), lockWaitMs: 0 });
      const preparer = createPreparer({ intake, folder: join(folder, "staging") });
      return {
        reset: async (start: PrepareStart) => preparer.reset(start),
        async prepare(task: PrepareTask) {
          const lines = Buffer.from(task.bytes)
            .toString()
            .split(/(?<=\n)/)
            .slice(0, task.maxRecords);
          const before = lines.slice(
            0,
            lines.findIndex((line) => line.includes(deadly)),
          );
          const offset = task.from.offset + before.join("").length;
          const isReached = lines[before.length]!.includes(deadly) && !task.skipped.includes(offset);
          if (!isReached) return preparer.prepare(task);
          intake[Symbol.dispose]();
          throw new PrepareWorkerDiedError("out of memory", offset);
        },
        [Symbol.asyncDispose]: async () => intake[Symbol.dispose](),
      };
    };
  }

  it("starts another one, and leaves a line out that ended it twice", async () => {
    const counter = { starts: 0 };
    await using rig = openRig({ folder, store, overrides: { startWorker: fragile(counter, '"deadly"') } });
    await Promise.all(
      numbers(30).map((n) => rig.append(track(n, n === 17 ? { "#event_name": "deadly" } : {}))),
    );
    await rig.flush();
    expect(storedNumbers(store)).toEqual(numbers(30).filter((n) => n !== 17));
    expect(counter.starts).toBe(3);
    expect(rig.letters.map((line) => JSON.parse(line))).toMatchObject([
      { reason: "internal", line: expect.stringContaining('"deadly"') },
    ]);
  });
});
