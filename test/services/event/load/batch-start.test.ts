import { expect, it } from "vitest";
import { type Clock, maxTimerMs } from "../../../../base/async/clock.ts";
import { BatchStart } from "../../../../services/event/load/batch-start.ts";

/** The bytes that wait at some times, and how long the start of the batch is put off then. */
interface Check {
  readonly atMs: number;
  readonly bytes: number;
  readonly waitMs: number;
  /** The bytes of the batch that begins. Default: all. */
  readonly takes?: number;
  /** Default: false. */
  readonly hasEarlier?: boolean;
  /** Default: false. */
  readonly isWriting?: boolean;
}

type Case = readonly [name: string, checks: readonly Check[], burstBytes?: number];

const maxBytes = 1_600;

/**
 * A full batch has `maxBytes`, and so has one of a burst if nothing else is given. Others begin 1,000 ms apart. A batch
 * begins with each wait of 0.
 */
const cases: readonly Case[] = [
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
    "begins at the end of a burst, once after a pause",
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
      { atMs: 1_160, bytes: 400, waitMs: 20 },
      { atMs: 2_090, bytes: 400, waitMs: 0 },
      { atMs: 2_100, bytes: 0, waitMs: maxTimerMs },
      { atMs: 3_089, bytes: 200, waitMs: 1 },
      { atMs: 3_090, bytes: 200, waitMs: 0 },
      { atMs: 3_100, bytes: 0, waitMs: maxTimerMs },
      { atMs: 4_090, bytes: 200, waitMs: 0 },
      { atMs: 4_100, bytes: 200, waitMs: 20 },
      { atMs: 4_160, bytes: 200, waitMs: 0 },
    ],
  ],
  [
    "begins with the end of a burst that grows no more while batches before it are prepared",
    [
      { atMs: 0, bytes: 4_000, waitMs: 0, takes: 1_600 },
      { atMs: 50, bytes: 2_400, waitMs: 0, takes: 1_600 },
      { atMs: 59, bytes: 800, waitMs: 20 },
      { atMs: 60, bytes: 800, waitMs: 0 },
    ],
  ],
  [
    "begins with the end of a burst once after each full batch",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 1_000, bytes: 1, waitMs: 0 },
      { atMs: 2_100, bytes: 1_600, waitMs: 0 },
      { atMs: 2_110, bytes: 200, waitMs: 20 },
      { atMs: 2_170, bytes: 200, waitMs: 0 },
      { atMs: 2_180, bytes: 200, waitMs: 20 },
      { atMs: 2_300, bytes: 200, waitMs: 20 },
      { atMs: 2_310, bytes: 1_600, waitMs: 0 },
      { atMs: 2_320, bytes: 99, waitMs: 20 },
      { atMs: 2_400, bytes: 99, waitMs: 20 },
      { atMs: 2_410, bytes: 100, waitMs: 20 },
      { atMs: 2_470, bytes: 100, waitMs: 0 },
    ],
  ],
  [
    "begins only full batches after one that waits to be loaded",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 100, bytes: 1_599, waitMs: 20, hasEarlier: true },
      { atMs: 1_100, bytes: 1_599, waitMs: 20, hasEarlier: true },
      { atMs: 1_101, bytes: 1_600, waitMs: 0, hasEarlier: true },
      { atMs: 1_102, bytes: 1, waitMs: 20 },
    ],
  ],
  [
    "takes records after a pause for a burst although they wait for a batch before them",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 10, bytes: 0, waitMs: maxTimerMs, hasEarlier: true },
      { atMs: 1_100, bytes: 200, waitMs: 20, hasEarlier: true },
      { atMs: 1_120, bytes: 200, waitMs: 0 },
      { atMs: 1_130, bytes: 200, waitMs: 20 },
      { atMs: 1_190, bytes: 200, waitMs: 0 },
    ],
  ],
  [
    "begins with all of the end of a burst, also if that takes several batches",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 10, bytes: 900, waitMs: 20 },
      { atMs: 70, bytes: 900, waitMs: 0, takes: 400 },
      { atMs: 80, bytes: 500, waitMs: 0, takes: 350 },
      { atMs: 90, bytes: 150, waitMs: 0 },
      { atMs: 100, bytes: 300, waitMs: 20 },
      { atMs: 200, bytes: 300, waitMs: 20 },
    ],
  ],
  [
    "does not end a burst while records are being written",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 10, bytes: 200, waitMs: 20, isWriting: true },
      { atMs: 300, bytes: 200, waitMs: 20, isWriting: true },
      { atMs: 320, bytes: 300, waitMs: 20 },
      { atMs: 379, bytes: 300, waitMs: 20 },
      { atMs: 380, bytes: 300, waitMs: 0 },
    ],
  ],
  [
    "begins with a part of a burst whose rate would fill a batch in a second",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 100, bytes: 199, waitMs: 20 },
      { atMs: 120, bytes: 200, waitMs: 0 },
      { atMs: 140, bytes: 300, waitMs: 20, hasEarlier: true },
      { atMs: 200, bytes: 300, waitMs: 0 },
      { atMs: 220, bytes: 11, waitMs: 20 },
      { atMs: 280, bytes: 11, waitMs: 20 },
      { atMs: 290, bytes: 13, waitMs: 20 },
      { atMs: 350, bytes: 13, waitMs: 0 },
      { atMs: 360, bytes: 20, waitMs: 20 },
      { atMs: 420, bytes: 20, waitMs: 20 },
      { atMs: 475, bytes: 200, waitMs: 0 },
      { atMs: 700, bytes: 359, waitMs: 20 },
      { atMs: 1_200, bytes: 1_159, waitMs: 20 },
    ],
    200,
  ],
  [
    "begins no burst with records that waited for an earlier batch before the time had passed",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 10, bytes: 0, waitMs: maxTimerMs },
      { atMs: 500, bytes: 200, waitMs: 20, hasEarlier: true },
      { atMs: 1_000, bytes: 200, waitMs: 0 },
      { atMs: 1_010, bytes: 200, waitMs: 20 },
      { atMs: 1_070, bytes: 200, waitMs: 20 },
    ],
  ],
  [
    "begins a new burst when a whole part of the ended one is left",
    [
      { atMs: 0, bytes: 1, waitMs: 0 },
      { atMs: 700, bytes: 500, waitMs: 20 },
      { atMs: 760, bytes: 500, waitMs: 0, takes: 250 },
      { atMs: 770, bytes: 250, waitMs: 0 },
      { atMs: 780, bytes: 20, waitMs: 20 },
      { atMs: 840, bytes: 20, waitMs: 0 },
    ],
    200,
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

it.for(cases)("%s", ([_name, checks, burstBytes]) => {
  let nowMs = 0;
  const wait = waiterOf({ monotonicMs: () => nowMs }, burstBytes);
  const waits = checks.map((check) => {
    nowMs = check.atMs;
    return { ...check, waitMs: wait(check) };
  });
  expect(waits).toEqual(checks);
});

/** Appends of some bytes at the same intervals. */
interface Sender {
  readonly bytes: number;
  readonly everyMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

const seconds = (...from: readonly number[]): readonly number[] => from.map((second) => second * 1_000);

type SenderCase = readonly [
  name: string,
  senders: readonly Sender[],
  beginMs: readonly number[],
  burstBytes?: number,
];

/** When batches begin in the first five seconds. */
const senders: readonly SenderCase[] = [
  [
    "steady load, after one early batch",
    [{ bytes: 100, everyMs: 200, fromMs: 0, toMs: 5_000 }],
    [0, 260, 1_260, 2_260, 3_260, 4_260],
  ],
  [
    "steady load of small appends",
    [{ bytes: 10, everyMs: 20, fromMs: 0, toMs: 5_000 }],
    seconds(0, 1, 2, 3, 4),
  ],
  [
    "steady load of full batches",
    [{ bytes: 1_700, everyMs: 500, fromMs: 0, toMs: 2_000 }],
    [0, 500, 1_000, 1_500],
  ],
  [
    "bursts with pauses between them",
    [0, 2_000, 4_000].map((fromMs) => ({ bytes: 50, everyMs: 20, fromMs, toMs: fromMs + 200 })),
    [0, 240, 2_000, 2_240, 4_000, 4_240],
  ],
  [
    "bursts in each interval",
    [0, 900, 1_800, 2_700, 3_600].map((fromMs) => ({ bytes: 50, everyMs: 20, fromMs, toMs: fromMs + 200 })),
    [0, 240, 1_240, 2_240, 3_240, 4_240],
  ],
  [
    "a burst of several full batches",
    [{ bytes: 160, everyMs: 10, fromMs: 0, toMs: 250 }],
    [0, 100, 200, 300],
  ],
  [
    "a burst in parts of batches, and its end",
    [{ bytes: 80, everyMs: 10, fromMs: 0, toMs: 80 }],
    [0, 30, 60, 130],
    200,
  ],
  [
    "steady load that fills a batch in less than a second",
    [{ bytes: 40, everyMs: 20, fromMs: 0, toMs: 500 }],
    [0, 100, 200, 300, 400, 540],
    200,
  ],
  [
    "steady load that fills a batch in hardly more than a second",
    [{ bytes: 15, everyMs: 10, fromMs: 0, toMs: 5_000 }],
    seconds(0, 1, 2, 3, 4),
    200,
  ],
];

it.for(senders)("begins batches for %s", ([_name, appends, expected, burstBytes]) => {
  let nowMs = 0;
  const wait = waiterOf({ monotonicMs: () => nowMs }, burstBytes);
  const begun: number[] = [];
  let waiting = 0;
  for (; nowMs < 5_000; nowMs += 10) {
    for (const { bytes, everyMs, fromMs, toMs } of appends) {
      const isSent = nowMs >= fromMs && nowMs < toMs && (nowMs - fromMs) % everyMs === 0;
      waiting += isSent ? bytes : 0;
    }
    if (wait({ bytes: waiting }) > 0) continue;
    begun.push(nowMs);
    waiting = 0;
  }
  expect(begun).toEqual(expected);
});

/** Returns what says how long the start is put off, and begins the batch if it is not. */
function waiterOf(
  clock: Pick<Clock, "monotonicMs">,
  burstBytes = maxBytes,
): (check: Pick<Check, "bytes" | "takes" | "hasEarlier" | "isWriting">) => number {
  const start = new BatchStart({ maxBytes, burstBytes, batchMs: 1_000, clock });
  let taken = 0;
  return ({ bytes, takes = bytes, hasEarlier = false, isWriting = false }) => {
    const spoolEnd = { number: 1, offset: taken + bytes };
    const waitMs = start.waitMs({ waitingBytes: bytes, spoolEnd, isWriting, hasEarlier });
    if (waitMs > 0) return waitMs;
    start.begun();
    taken += takes;
    return 0;
  };
}
