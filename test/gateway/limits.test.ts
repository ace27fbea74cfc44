import { expect, test } from "vitest";
import { defaultLimits, timeoutCheckMsOf } from "../../gateway/limits.ts";

test.each([
  [{}, 1_000],
  [{ requestTimeoutMs: 300 }, 75],
  [{ headersTimeoutMs: 301 }, 75],
  [{ stallTimeoutMs: 300, unusedTimeoutMs: 200 }, 50],
  [{ unusedTimeoutMs: 1 }, 10],
])("with the limits %j timeouts are checked every %i ms", (limits, ms) => {
  expect(timeoutCheckMsOf({ ...defaultLimits, ...limits })).toBe(ms);
});
