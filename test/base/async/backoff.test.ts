import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs, fullJitter, halfJitter } from "../../../base/async/backoff.ts";

const policy = { minDelayMs: 1_000, maxDelayMs: 60_000 };

describe("backoff", () => {
  it.each([
    [1, 0.5, 500],
    [2, 0.5, 1_000],
    [6, 0.5, 16_000],
    [7, 0.5, 30_000],
    [1_000, 0.5, 30_000],
    [4, 0, 0],
  ])("attempt %d at random %d: %d ms", (attempt, random, expected) => {
    expect(fullJitter(backoffMs(attempt, policy), random)).toBe(expected);
  });

  it("stays within its bounds", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), random, (attempt, value) => {
        const delayMs = fullJitter(backoffMs(attempt, policy), value);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThan(Math.min(60_000, 1_000 * 2 ** (attempt - 1)) + 1);
      }),
    );
  });
});

it.each([
  [0, 500],
  [0.5, 750],
  [0.999, 999.5],
])("half jitter at random %d: %d ms", (random, expected) => {
  expect(halfJitter(1_000, random)).toBe(expected);
});
