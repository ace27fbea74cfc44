import { expect, test } from "vitest";
import { createYoungGarbage } from "../../../../services/parser/pool/young-garbage.ts";

const mib = 1_048_576;

/** Sends a MiB at each of these times, and returns those at which garbage was collected. */
function collectionsAt(timesMs: readonly number[], costMs: number): readonly number[] {
  let nowMs = 0;
  let cpuMs = 0;
  const collections: number[] = [];
  const garbage = createYoungGarbage({
    monotonicMs: () => nowMs,
    threadCpuMs: () => cpuMs,
    collect: () => {
      collections.push(nowMs);
      cpuMs += costMs;
    },
  });
  for (const timeMs of timesMs) {
    nowMs = timeMs;
    garbage.collectAfter(mib);
  }
  return collections;
}

test.each([
  ["that cost nothing follow each MiB", [1, 2, 3], 0, [1, 2, 3]],
  ["pause for 19 times their cost", [100, 102, 289.9, 290, 479, 480], 10, [100, 290, 480]],
  ["that are expensive are rare", [0, 100, 1_800, 1_899, 1_900], 100, [0, 1_900]],
])("collections %s", (_, timesMs, costMs, expected) => {
  expect(collectionsAt(timesMs, costMs)).toEqual(expected);
});
