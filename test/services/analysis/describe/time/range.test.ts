import fc from "fast-check";
import { expect, it } from "vitest";
import { formatSecond, parseDate } from "../../../../../base/time/local-time.ts";
import { dayMs } from "../../../../../base/time/units.ts";
import { createProblems } from "../../../../../services/analysis/describe/problems.ts";
import { resolveRange } from "../../../../../services/analysis/describe/time/range.ts";

const wednesday = parseDate("2026-08-26")!;

function resolve(
  { recentDay = "", start = "", end = "" }: { recentDay?: string; start?: string; end?: string },
  weekStart: "monday" | "sunday" = "monday",
): string {
  const problems = createProblems();
  const field = (name: string, text: string) => ({ field: name, text });
  const written = {
    recentDay: field("recentDay", recentDay),
    start: field("startTime", start),
    end: field("endTime", end),
  };
  const range = resolveRange(written, { localMs: wednesday, weekStart }, problems);
  problems.throwIfAny();
  return `${formatSecond(range!.startMs)} .. ${formatSecond(range!.endMs - 1)}`;
}

it.each([
  ["1-7", "2026-08-19 00:00:00 .. 2026-08-25 23:59:59"],
  ["1-1", "2026-08-25 00:00:00 .. 2026-08-25 23:59:59"],
  ["5-19", "2026-08-07 00:00:00 .. 2026-08-21 23:59:59"],
  ["0-1", "2026-08-26 00:00:00 .. 2026-08-26 23:59:59"],
  ["0-7", "2026-08-20 00:00:00 .. 2026-08-26 23:59:59"],
  ["W0", "2026-08-24 00:00:00 .. 2026-08-26 23:59:59"],
  ["W1", "2026-08-17 00:00:00 .. 2026-08-23 23:59:59"],
  ["M0", "2026-08-01 00:00:00 .. 2026-08-26 23:59:59"],
  ["M1", "2026-07-01 00:00:00 .. 2026-07-31 23:59:59"],
])("reads the relative range %s as %s", (recentDay, range) => {
  expect(resolve({ recentDay })).toBe(range);
});

it.each([
  ["W0", "2026-08-23 00:00:00 .. 2026-08-26 23:59:59"],
  ["W1", "2026-08-16 00:00:00 .. 2026-08-22 23:59:59"],
])("reads %s of weeks that start on Sunday as %s", (recentDay, range) => {
  expect(resolve({ recentDay }, "sunday")).toBe(range);
});

it("prefers the relative range, but starts at the start time where it says so", () => {
  const given = { start: "2026-08-20 12:30:00", end: "2026-08-21 00:00:00" };
  expect(resolve({ recentDay: "0-1", ...given })).toBe("2026-08-26 00:00:00 .. 2026-08-26 23:59:59");
  expect(resolve({ recentDay: "StartToNow", ...given })).toBe("2026-08-20 00:00:00 .. 2026-08-26 23:59:59");
});

it.each([
  ["2026-08-01", "2026-08-02", "2026-08-01 00:00:00 .. 2026-08-02 23:59:59"],
  ["2026-08-01 10:00:00", "2026-08-01 10:00:00", "2026-08-01 10:00:00 .. 2026-08-01 10:00:00"],
  ["2024-02-29", "2024-02-29 12:00:00", "2024-02-29 00:00:00 .. 2024-02-29 12:00:00"],
])("reads %s to %s as %s", (start, end, range) => {
  expect(resolve({ start, end })).toBe(range);
});

it.each([
  [{ recentDay: "0-0" }, 'recentDay: "0-0" must be "a-b" with'],
  [{ recentDay: "7-1" }, 'recentDay: "7-1" must be "a-b" with'],
  [{ recentDay: "-1-7" }, 'recentDay: "-1-7" must be "a-b" with'],
  [{ recentDay: "1-99999" }, "numbers are at most 36500"],
  [{ recentDay: "W2" }, 'recentDay: "W2" must be "a-b" with'],
  [{ recentDay: "StartToNow" }, "startTime: is required without a relative range"],
  [{ recentDay: "StartToNow", start: "2026-08-27" }, 'startTime: "2026-08-27" must not be after today'],
  [{ start: "2026-02-30", end: "2026-03-01" }, 'startTime: "2026-02-30" must be an existing time'],
  [{ start: "2026-02-01 24:00:00", end: "2026-03-01" }, "must be an existing time"],
  [{ start: "2026-02-01T10:00:00", end: "2026-03-01" }, "must be an existing time"],
  [{ start: "2026-03-02", end: "2026-03-01" }, 'endTime: "2026-03-01" must not be before startTime'],
  [{ start: "2026-03-02" }, "endTime: is required without a relative range"],
  [{}, "startTime: is required without a relative range"],
])("refuses %j", (given, message) => {
  expect(() => resolve(given)).toThrow(message);
});

it("makes a range of b - a + 1 days of every a-b", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), fc.nat({ max: 3_000 }), (near, more) => {
      const [start, end] = resolve({ recentDay: `${near}-${near + more}` }).split(" .. ") as [string, string];
      const days = (Date.parse(`${end}Z`) + 1_000 - Date.parse(`${start}Z`)) / dayMs;
      expect([days, Date.parse(`${end}Z`) + 1_000]).toEqual([more + 1, wednesday - (near - 1) * dayMs]);
    }),
  );
});
