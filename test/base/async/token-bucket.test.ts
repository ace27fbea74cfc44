import { expect, it } from "vitest";
import { TokenBucket } from "../../../base/async/token-bucket.ts";

const limit = { perSecond: 2, burst: 3 };

it("gives a burst, then a token each time one is gained", () => {
  const bucket = new TokenBucket(limit, 0);
  const waits = [0, 0, 0, 0, 499.5, 500].map((nowMs) => {
    const waitMs = bucket.waitMs(limit, nowMs);
    if (waitMs === 0) bucket.take();
    return waitMs;
  });
  expect(waits).toEqual([0, 0, 0, 500, 1, 0]);
});

it("holds no more than a burst", () => {
  const bucket = new TokenBucket(limit, 0);
  expect(bucket.waitMs(limit, 3_600_000)).toBe(0);
  for (let i = 0; i < 3; i++) bucket.take();
  expect(bucket.waitMs(limit, 3_600_000)).toBe(500);
});

it("follows a limit that changes", () => {
  const bucket = new TokenBucket(limit, 0);
  for (let i = 0; i < 3; i++) bucket.take();
  expect(bucket.waitMs({ perSecond: 10, burst: 1 }, 0)).toBe(100);
});
