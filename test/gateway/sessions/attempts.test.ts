import { expect, test } from "vitest";
import { createAttemptLimit } from "../../../gateway/sessions/attempts.ts";

test("an address has ten wrong keys at once and then one every six seconds", () => {
  const limit = createAttemptLimit();
  const tries = (address: string, nowMs: number, most: number): number => {
    let tried = 0;
    while (tried < most && limit.waitMs(address, nowMs) === 0) {
      limit.failed(address, nowMs);
      tried++;
    }
    return tried;
  };
  expect(tries("203.0.113.9", 0, 100)).toBe(10);
  expect(limit.waitMs("203.0.113.9", 0)).toBe(6_000);
  expect(limit.waitMs("203.0.113.10", 0)).toBe(0);
  expect(tries("203.0.113.9", 3_600_000, 100)).toBe(10);
  expect(tries("203.0.113.9", 3_606_000, 100)).toBe(1);
});

test("an IPv6 network counts as one address", () => {
  const limit = createAttemptLimit();
  for (let i = 0; i < 10; i++) limit.failed(`2001:db8:1:2::${i + 1}`, 0);
  expect(limit.waitMs("2001:db8:1:2:ffff::1", 0)).toBeGreaterThan(0);
  expect(limit.waitMs("2001:db8:1:3::1", 0)).toBe(0);
});
