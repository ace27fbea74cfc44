import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../../base/async/clock.ts";
import { EventsUnavailableError } from "../../../../store/events/events.ts";
import { createRecordReader } from "../../../../store/records/record-reader.ts";
import { openRecordSpool } from "../../../../store/records/record-spool.ts";
import { appendAll, folder, numbers, store, storedNumbers, useFolder } from "./load-folder.ts";
import { openRig, track } from "./load-rig.ts";

useFolder();

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

  it("does not load the end of a burst while records are being written", async () => {
    const spoolFolder = join(folder, "spool");
    await using spool = openRecordSpool({ folder: spoolFolder, checksums: true });
    let looks = 0;
    const reader = { ...createRecordReader({ folder: spoolFolder, spool }), isWriting: () => ++looks < 10 };
    const looksBefore: number[] = [];
    const gate = (step: string) => void (step === "before prepare" && looksBefore.push(looks));
    const limits = { batchMs: 3_600_000 };
    await using rig = openRig({ folder, store, limits, gate, records: { spool, reader } });
    await rig.append(track(0));
    await vi.waitFor(() => expect(rig.batches).toHaveLength(1));
    looks = 0;
    await rig.append(...numbers(10).map((n) => track(n + 1)));
    await vi.waitFor(() => expect(rig.batches).toHaveLength(2));
    expect(looksBefore[1]).toBeGreaterThanOrEqual(10);
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

  it("reports the bytes that wait", async () => {
    await using rig = openRig({ folder, store, limits: { batchMs: 3_600_000 } });
    await rig.append(track(0));
    await rig.flush();
    expect(await rig.loader.waitingBytes()).toBe(0);
    await rig.append(track(1));
    expect(await rig.loader.waitingBytes()).toBeGreaterThan(100);
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
