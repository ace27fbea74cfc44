import { expect, test } from "vitest";
import { createIdleCheck } from "../../../base/memory/idle-memory.ts";

const mib = 1024 * 1024;

/** A check of one thread: how much it works, how much memory it takes, and how much is left when it is freed. */
type Step = readonly [utilization: number, usedMib: number, keptMib?: number];

/** Returns the numbers of the checks that free memory. @param isLarge whether it is buffers and large objects */
async function checksThatFree(steps: readonly Step[], isLarge = true): Promise<number[]> {
  const freed: number[] = [];
  let at = 0;
  let used = 0;
  const check = createIdleCheck({
    utilization: () => steps[at]![0],
    usedBytes: () => ({ large: isLarge ? used * mib : 0, all: used * mib }),
    async collect() {
      freed.push(at);
      used = steps[at]![2] ?? used;
    },
  });
  for (; at < steps.length; at++) {
    used = steps[at]![1];
    await check();
  }
  return freed;
}

test.each<[string, readonly Step[], readonly number[]]>([
  [
    "the first idle moment after the start",
    [
      [0.9, 100],
      [0.5, 110],
      [0.01, 110, 60],
      [0, 60],
    ],
    [2],
  ],
  ["a thread that is idle from the start", [[0, 100, 60]], [0]],
  [
    "nothing while it works",
    [
      [0.9, 100],
      [0.2, 500],
      [0.11, 900],
    ],
    [],
  ],
  [
    "nothing beside a steady rate of small calls",
    [[0, 100, 60], ...Array.from({ length: 20 }, (): Step => [0.08, 400])],
    [0],
  ],
  [
    "nothing for a little memory",
    [
      [0, 100, 60],
      [0, 75],
      [0, 75],
      [0, 75],
      [0, 75],
    ],
    [0],
  ],
  [
    "the third idle moment after a large call",
    [
      [0, 100, 60],
      [0.9, 400],
      [0, 400],
      [0, 400],
      [0, 400, 65],
      [0, 65],
    ],
    [0, 4],
  ],
  [
    "only moments in a row",
    [
      [0, 100, 60],
      [0.9, 400],
      [0, 400],
      [0, 400],
      [0.9, 400],
      [0, 400],
      [0, 400],
      [0, 400, 60],
    ],
    [0, 7],
  ],
  [
    "a call that waits, after its end",
    [
      [0, 100, 60],
      [0.9, 400],
      [0, 400],
      [0, 400],
      [0, 400, 390],
      ...Array.from({ length: 5 }, (): Step => [0, 390]),
      [0, 390, 65],
      ...Array.from({ length: 20 }, (): Step => [0, 65]),
    ],
    [0, 4, 10],
  ],
  [
    "what is needed, some times",
    [[0, 100, 60], [0.9, 400], ...Array.from({ length: 400 }, (): Step => [0, 400, 390])],
    [0, 4, 10, 22, 46, 94, 190],
  ],
  [
    "a large call after a small start",
    [
      [0, 12],
      [0.9, 400],
      [0, 400],
      [0, 400],
      [0, 400, 20],
    ],
    [4],
  ],
  ["buffers below 64 MiB, as other memory", [[0, 100, 60], [0.9, 123], ...quiet(20, 123, 65)], [0, 13]],
  ["buffers of 64 MiB, as of a large call", [[0, 100, 60], [0.9, 124], ...quiet(3, 124, 65)], [0, 4]],
])("frees the memory of %s", async (_name, steps, freed) => {
  expect(await checksThatFree(steps)).toEqual(freed);
});

test.each<[string, readonly Step[], readonly number[]]>([
  ["the start", [[0, 100, 60]], [0]],
  ["small calls, after twelve idle moments", [[0, 100, 60], [0.9, 100], ...quiet(20, 100, 65)], [0, 13]],
  [
    "no calls that come in bursts",
    [[0, 100, 60], ...quiet(11, 100), [0.9, 150], ...quiet(11, 150), [0.9, 200], ...quiet(11, 200)],
    [0],
  ],
  ["small calls, but not for a little memory", [[0, 100, 60], [0.9, 75], ...quiet(60, 75)], [0]],
])("frees small objects of %s", async (_name, steps, freed) => {
  expect(await checksThatFree(steps, false)).toEqual(freed);
});

function quiet(checks: number, usedMib: number, keptMib?: number): Step[] {
  return Array.from(
    { length: checks },
    (): Step => (keptMib === undefined ? [0, usedMib] : [0, usedMib, keptMib]),
  );
}
