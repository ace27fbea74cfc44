import fc from "fast-check";
import { expect, it } from "vitest";
import { createRateLimit } from "../../../../services/webhook/delivery/rate-limit.ts";

/** Starts calls as they come, each as early as the limit allows. */
function startTimes(maxPerSecond: number, arrivals: readonly number[]): number[] {
  const limit = createRateLimit(maxPerSecond);
  const starts: number[] = [];
  let nowMs = 0;
  for (const gapMs of arrivals) {
    nowMs += gapMs;
    nowMs += limit.waitMs(nowMs);
    limit.take(nowMs);
    starts.push(nowMs);
  }
  return starts;
}

it("never lets more than N begin in any one second", () => {
  const gaps = fc.array(fc.double({ min: 0, max: 1_500, noNaN: true }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), gaps, (maxPerSecond, arrivals) => {
      const starts = startTimes(maxPerSecond, arrivals);
      const inWindow = starts.map((from) => starts.filter((at) => at >= from && at < from + 1_000).length);
      expect(Math.max(0, ...inWindow)).toBeLessThanOrEqual(maxPerSecond);
    }),
  );
});

it("holds nothing back that the limit allows", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), gaps, (maxPerSecond, arrivals) => {
      const starts = startTimes(maxPerSecond, arrivals);
      const earliest: number[] = [];
      for (const gapMs of arrivals) {
        const own = (earliest.at(-1) ?? 0) + gapMs;
        earliest.push(Math.max(own, (earliest.at(-maxPerSecond) ?? Number.NEGATIVE_INFINITY) + 1_000));
      }
      expect(starts).toEqual(earliest);
    }),
  );
});

it("lets a burst of N through at once", () => {
  expect(startTimes(3, [0, 0, 0, 0, 0, 0, 0])).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000]);
});
