import { describe, expect, test } from "vitest";
import { backoffMs, haltOf, nextDelayMs, type Schedule, stateOf } from "../../console/src/rpc/schedule.ts";

const running: Schedule = {
  periodMs: 5_000,
  failures: 0,
  isPaused: false,
  isHidden: false,
  startedMs: 100_000,
  nowMs: 101_000,
};

describe("the next load of a live view", () => {
  test.each<[string, Partial<Schedule>, number | undefined]>([
    ["comes at once for the first time", { startedMs: undefined }, 0],
    [
      "comes at once for the first time, even when all is paused",
      { startedMs: undefined, isPaused: true },
      0,
    ],
    ["comes a period after the last began", {}, 4_000],
    ["comes at once when the period is over", { nowMs: 200_000 }, 0],
    ["is never more frequent than every 5 s", { periodMs: 10 }, 4_000],
    ["waits as long as the view asks for", { periodMs: 30_000 }, 29_000],
    ["does not come while the user pauses", { isPaused: true }, undefined],
    ["does not come while the page is hidden", { isHidden: true }, undefined],
    ["comes after a period when one load failed", { failures: 1 }, 4_000],
    ["comes after twice the time when two failed", { failures: 2 }, 9_000],
    ["comes after a minute at most", { failures: 30 }, 59_000],
  ])("%s", (_name, change, expected) => {
    expect(nextDelayMs({ ...running, ...change })).toBe(expected);
  });
});

test("each failure in a row doubles the pause, up to a limit", () => {
  const pauses = [0, 1, 2, 3, 6, 99].map((failures) =>
    backoffMs(failures, { firstMs: 1_000, maxMs: 30_000 }),
  );
  expect(pauses).toEqual([1_000, 1_000, 2_000, 4_000, 30_000, 30_000]);
});

test("the user stops live views before the page does", () => {
  expect(haltOf({ isPaused: false, isHidden: false })).toBeUndefined();
  expect(haltOf({ isPaused: false, isHidden: true })).toBe("hidden");
  expect(haltOf({ isPaused: true, isHidden: true })).toBe("paused");
});

describe("the state of a live view", () => {
  test.each<[string, Partial<Schedule>, boolean]>([
    ["connecting", { startedMs: undefined }, false],
    ["connecting", {}, false],
    ["live", {}, true],
    ["paused", { isPaused: true }, true],
    ["hidden", { isHidden: true }, true],
    ["lost", { failures: 1 }, true],
    ["lost", { failures: 1, isPaused: true }, false],
  ])("is %s", (state, change, hasData) => {
    expect(stateOf({ ...running, ...change }, hasData)).toBe(state);
  });
});
