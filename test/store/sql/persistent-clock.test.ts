import { expect, it } from "vitest";
import { type ClockMark, createPersistentClock } from "../../../store/sql/persistent-clock.ts";

const hourMs = 3_600_000;
const left: ClockMark = { clockMs: 100 * hourMs, bootId: "first", uptimeMs: 5 * hourMs };
const same = { bootId: "first", uptimeMs: 6 * hourMs };
const other = { bootId: "second", uptimeMs: hourMs };

it.each([
  ["begins as the computer's clock", null, same, 77, 77],
  ["goes on by the time since the computer's start", left, same, 101, 101],
  ["so also when the clock was put forward", left, same, 126, 101],
  ["and when it was set back", left, same, 2, 101],
  ["believes the clock after a start of the computer", left, other, 130, 130],
  ["but doesn't run backwards", left, other, 90, 100],
  ["nor where the system tells no starts", { ...left, bootId: "" }, { ...same, bootId: "" }, 90, 100],
  ["nor when the uptime can't be of the same start", left, { ...same, uptimeMs: 1 }, 103, 103],
])("%s", (_name, mark, { bootId, uptimeMs }, nowHours, expectedHours) => {
  let monotonicMs = 777;
  const clock = createPersistentClock(mark, {
    bootId,
    monotonicMs: () => monotonicMs,
    uptimeMs: () => uptimeMs,
    now: () => nowHours * hourMs,
  });
  expect(clock.clockMs()).toBe(expectedHours * hourMs);
  monotonicMs += 5_000;
  expect(clock.mark()).toEqual({ clockMs: expectedHours * hourMs + 5_000, bootId, uptimeMs });
});
