import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createPreparer } from "../../../../services/event/load/prepare.ts";
import { PrepareWorkerDiedError } from "../../../../services/event/load/prepare-client.ts";
import type { PrepareStart, PrepareTask } from "../../../../services/event/load/prepared.ts";
import { EventsMemoryError, EventsUnavailableError } from "../../../../store/events/events.ts";
import { openSqliteIntake } from "../../../../store/intake/sqlite/open.ts";
import { appendAll, folder, numbers, store, storedNumbers, useFolder } from "./load-folder.ts";
import { openRig, prepareWhole, track } from "./load-rig.ts";

useFolder();

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

describe("loader whose claims are not committed", () => {
  it("prepares the batch again before it loads it", async () => {
    const intake = openSqliteIntake({ path: join(folder, "intake.db"), lockWaitMs: 0 });
    const preparer = createPreparer({ intake, folder: join(folder, "staging") });
    const lost = [Promise.reject(new Error("claims are lost"))];
    lost[0]!.catch(() => {});
    await using rig = openRig({
      folder,
      store,
      overrides: {
        startWorker: () => ({
          reset: (start: PrepareStart) => preparer.reset(start),
          async prepare(task: PrepareTask) {
            const batch = await preparer.prepare(task);
            return { ...batch, committed: lost.shift() ?? Promise.resolve() };
          },
          [Symbol.asyncDispose]: () => intake[Symbol.asyncDispose](),
        }),
      },
    });
    await appendAll(rig, 20);
    await rig.flush();
    expect(rig.faults).toEqual([new Error("claims are lost")]);
    expect(storedNumbers(store)).toEqual(numbers(20));
  });
});

describe("loader whose claims are being committed", () => {
  it("loads and keeps nothing and ends no flush before they are, also when it is disposed of", async () => {
    const intake = openSqliteIntake({ path: join(folder, "intake.db"), lockWaitMs: 0 });
    const preparer = createPreparer({ intake, folder: join(folder, "staging") });
    const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
    const steps: string[] = [];
    let prepared = 0;
    await using rig = openRig({
      folder,
      store,
      limits: { maxRecords: 5 },
      gate: (step) => void steps.push(step),
      overrides: {
        startWorker: () => ({
          reset: (start: PrepareStart) => preparer.reset(start),
          async prepare(task: PrepareTask) {
            const batch = await preparer.prepare(task);
            prepared++;
            return { ...batch, committed };
          },
          [Symbol.asyncDispose]: () => intake[Symbol.asyncDispose](),
        }),
      },
    });
    await rig.append(...numbers(4).map((n) => track(n)), "no record");
    await rig.append(track(4));
    const flushed = rig.flush().then(() => steps.push("flushed"));
    // The second batch is prepared after the first one could have been loaded.
    await vi.waitFor(() => expect(prepared).toBe(2));
    const disposed = rig.loader[Symbol.asyncDispose]();
    expect(steps).toEqual([]);
    commit();
    await Promise.all([flushed, disposed]);
    expect(steps.slice(0, 4)).toEqual(["before letters", "after letters", "before load", "after load"]);
    expect(storedNumbers(store)).toEqual(numbers(5));
    expect(rig.letters).toHaveLength(1);
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
          if (!isReached) return await prepareWhole(preparer, task);
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
