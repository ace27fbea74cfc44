import { expect, it } from "vitest";
import { repeatedBatches } from "../../../../store/intake/intake.ts";
import { BatchUuids } from "../../../../store/intake/postgres/batch-uuids.ts";
import { readUuids } from "../../../../store/intake/postgres/read-uuids.ts";
import { RecentUuids } from "../../../../store/intake/postgres/recent-uuids.ts";
import type { IntakeOperations } from "../../../../store/intake/postgres/store.ts";
import {
  claimBytes,
  type RemovedBatches,
  type UuidBatch,
} from "../../../../store/intake/postgres/uuid-batches.ts";
import { hashBytes, hashUuids } from "../../../../store/intake/postgres/uuid-hash.ts";
import type { Executor } from "../../../../store/sql/operations.ts";

const uuidWindowMs = 1_000;

/** A batch which claims numbered uuids, each at the time of its number. */
function batchOf(seq: number, from: number, count: number): UuidBatch {
  const claims = Buffer.alloc(count * claimBytes);
  hashUuids(1, uuidsOf(from, count)).copy(claims);
  for (let at = 0; at < count; at++) claims.writeDoubleLE(from + at, count * hashBytes + at * 8);
  return { seq, firstMs: from, lastMs: from + count - 1, claims };
}

const uuidsOf = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `uuid-${from + at}`);

/** Returns the times at which numbered uuids were claimed. */
function timesOf(recent: RecentUuids, from: number, count: number): readonly number[] {
  const uuids = new BatchUuids(1, uuidsOf(from, count));
  recent.teach(uuids);
  return Array.from({ length: count }, (_, at) => uuids.timeOf(at));
}

const numbers = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => from + at);
const unknown = (count: number): readonly number[] => new Array<number>(count).fill(Number.NaN);

it("remembers the newest uuids while batches of any size come and go", () => {
  const recent = new RecentUuids();
  const limits = { uuidWindowMs: 1_000_000, maxUuids: 50_000 };
  let seq = 0;
  let next = 0;
  let spilled = 0;
  const add = (count: number): void => {
    const added = batchOf(++seq, next, count);
    const outdated = recent.outdatedBy(added, limits);
    // What does not fit is exactly what becomes rows, in its order.
    for (const { hashes, times } of outdated.spilled) {
      const rows = hashes.length / hashBytes;
      expect(Buffer.compare(hashes, hashUuids(1, uuidsOf(spilled, rows)))).toBe(0);
      expect(times).toBe(`{${numbers(spilled, rows).join(",")}}`);
      spilled += rows;
    }
    recent.replace(added, outdated);
    next += count;
    expect(recent.size).toBe(next - spilled);
    expect(recent.size).toBeLessThanOrEqual(limits.maxUuids);
  };
  for (const count of [9_000, 1, 40_000, 20_000, 0, 3_000, 16_384, 30_000, 700, 45_000]) {
    add(count);
    for (let more = 1; more < repeatedBatches; more++) add(1);
    expect(timesOf(recent, spilled, next - spilled)).toEqual(numbers(spilled, next - spilled));
    expect(timesOf(recent, spilled - 100, 100)).toEqual(unknown(100));
  }
  expect(spilled).toBeGreaterThan(100_000);
});

it("keeps the batches which may be prepared again, however many uuids they have", () => {
  const recent = new RecentUuids();
  for (let seq = 0; seq < 20; seq++) {
    const added = batchOf(seq, seq * 100, 100);
    recent.replace(added, recent.outdatedBy(added, { uuidWindowMs, maxUuids: 0 }));
  }
  expect(recent.size).toBe(repeatedBatches * 100);
});

it.each([
  [2 * uuidWindowMs, undefined],
  [2 * uuidWindowMs + 1, 0],
])(
  "removes a batch of time 0 when no later one may be prepared again from before %d ms",
  (firstMs, removedTo) => {
    const recent = new RecentUuids();
    recent.add(batchOf(0, 0, 1));
    for (let seq = 1; seq < repeatedBatches; seq++) recent.add(batchOf(seq, firstMs + seq - 1, 1));
    const next = batchOf(repeatedBatches, firstMs + repeatedBatches, 1);
    expect(recent.outdatedBy(next, { uuidWindowMs, maxUuids: 1_000 }).removedTo).toBe(removedTo);
  },
);

it("takes little memory for uuids which are claimed again and again", () => {
  const recent = new RecentUuids();
  for (let seq = 0; seq < 300; seq++) {
    const added = { ...batchOf(seq, 0, 1_000), firstMs: seq * 3_000, lastMs: seq * 3_000 };
    recent.replace(added, recent.outdatedBy(added, { uuidWindowMs, maxUuids: 1_000_000 }));
  }
  expect(recent.size).toBe(repeatedBatches * 1_000);
  expect(timesOf(recent, 0, 1_000)).toEqual(numbers(0, 1_000));
});

it("is read part by part, of which the oldest become rows when they are too many", async () => {
  const stored = numbers(0, 12).map((seq) => batchOf(seq, seq * 100_000, 100_000));
  const calls: unknown[] = [];
  const answers: Partial<Record<keyof IntakeOperations, (args: readonly unknown[]) => unknown>> = {
    readUuidBatches([spool, from, to]) {
      calls.push(["read", spool, from, to]);
      return stored.filter(({ seq }) => seq >= Number(from) && seq <= Number(to));
    },
    spillUuids([_part, version, removed]) {
      calls.push(["spill", version, (removed as RemovedBatches).removedTo]);
      return Number(version) + 1;
    },
  };
  const executor = {
    call: async (name: keyof IntakeOperations, _nowMs: number, args: readonly unknown[]) =>
      answers[name]!(args),
  } as unknown as Executor<IntakeOperations>;
  const { recent, version } = await readUuids(
    executor,
    { spool: 7, fence: undefined, maxUuids: 950_000 },
    { version: 5, uuidBatches: stored.map(({ seq }) => ({ seq, uuids: 100_000 })) },
  );
  expect(calls).toEqual([
    ["read", 7, 0, 1],
    ["spill", 5, 1],
    ["read", 7, 2, 2],
    ["spill", 6, 2],
    ["read", 7, 3, 4],
    ["read", 7, 5, 6],
    ["read", 7, 7, 8],
    ["read", 7, 9, 10],
    ["read", 7, 11, 11],
  ]);
  expect(version).toBe(7);
  expect(recent.size).toBe(900_000);
  expect(timesOf(recent, 299_000, 2_000)).toEqual([...unknown(1_000), ...numbers(300_000, 1_000)]);
});
