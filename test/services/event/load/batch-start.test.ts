import { expect, it } from "vitest";
import { maxTimerMs } from "../../../../base/async/clock.ts";
import { BatchStart } from "../../../../services/event/load/batch-start.ts";

/** The bytes that wait at some times, and how long the start of the batch is put off then. */
interface Check {
  readonly atMs: number;
  readonly bytes: number;
  readonly waitMs: number;
}

/** A full batch has 1,600 bytes, and others begin 1,000 ms apart. A batch begins with each wait of 0. */
const cases: readonly (readonly [name: string, checks: readonly Check[]])[] = [
  ["waits without records", [{ atMs: 0, bytes: 0, waitMs: maxTimerMs }]],
  ["begins with the first record", [{ atMs: 0, bytes: 1, waitMs: 0 }]],
  [
    "begins the next batch after the time, and a full one at once",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 1, bytes: 1, waitMs: 20 },
      { atMs: 990, bytes: 2, waitMs: 10 },
      { atMs: 1_000, bytes: 2, waitMs: 0 },
      { atMs: 1_001, bytes: 1_600, waitMs: 0 },
    ],
  ],
  [
    "begins at the end of a burst, once within the time",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 10, bytes: 100, waitMs: 20 },
      { atMs: 30, bytes: 200, waitMs: 20 },
      { atMs: 89, bytes: 200, waitMs: 20 },
      { atMs: 90, bytes: 200, waitMs: 0 },
      { atMs: 100, bytes: 200, waitMs: 20 },
      { atMs: 300, bytes: 200, waitMs: 20 },
      { atMs: 1_090, bytes: 300, waitMs: 0 },
      { atMs: 1_100, bytes: 400, waitMs: 20 },
      { atMs: 1_160, bytes: 400, waitMs: 0 },
    ],
  ],
  [
    "does not begin at the end of a few records",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 10, bytes: 99, waitMs: 20 },
      { atMs: 500, bytes: 99, waitMs: 20 },
    ],
  ],
];

it.each(cases)("%s", (_name, checks) => {
  let nowMs = 0;
  const start = new BatchStart({ maxBytes: 1_600, batchMs: 1_000, clock: { monotonicMs: () => nowMs } });
  const waits = checks.map(({ atMs, bytes }) => {
    nowMs = atMs;
    return { atMs, bytes, waitMs: waitOf(start, bytes) };
  });
  expect(waits).toEqual(checks);
});

/** Returns how long the start is put off, and begins the batch if it is not. */
function waitOf(start: BatchStart, bytes: number): number {
  const waitMs = start.waitMs(bytes);
  if (waitMs === 0) start.begun();
  return waitMs;
}
