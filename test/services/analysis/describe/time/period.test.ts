import { expect, it } from "vitest";
import { formatSecond } from "../../../../../base/time/local-time.ts";
import { compileScan } from "../../../../../services/analysis/describe/event-plan.ts";
import { bucketsOf } from "../../../../../services/analysis/describe/time/period.ts";
import { describe, projectOf, refusalsOf } from "../described.ts";

const labels = (view: object, zone = "+00:00", declared: object = {}) =>
  describe({ view: { recentDay: "", ...view } }, projectOf(declared, zone)).periods[0]!.buckets.map(
    ({ label }) => label,
  );

it.each([
  ["minute", "2026-08-26 10:00:30", "2026-08-26 10:01:00", ["2026-08-26 10:00", "2026-08-26 10:01"]],
  ["minute5", "2026-08-26 10:03:00", "2026-08-26 10:05:00", ["2026-08-26 10:00", "2026-08-26 10:05"]],
  ["minute10", "2026-08-26 10:13:00", "2026-08-26 10:19:59", ["2026-08-26 10:10"]],
  ["hour", "2026-08-26 10:59:59", "2026-08-26 11:00:00", ["2026-08-26 10:00", "2026-08-26 11:00"]],
  ["day", "2026-08-26", "2026-08-27", ["2026-08-26", "2026-08-27"]],
  ["week", "2026-08-26", "2026-08-31", ["2026-08-24", "2026-08-31"]],
  ["month", "2026-08-26", "2026-09-01", ["2026-08", "2026-09"]],
  ["quarter", "2025-12-31", "2026-08-01", ["2025-10", "2026-01", "2026-04", "2026-07"]],
  ["year", "2025-12-31", "2026-01-01", ["2025", "2026"]],
  ["total", "2026-08-01", "2026-08-31", ["2026-08-01~2026-08-31"]],
])("steps by %s from %s to %s", (timeParticleSize, startTime, endTime, expected) => {
  expect(labels({ timeParticleSize, startTime, endTime })).toEqual(expected);
});

it("starts weeks where the project says", () => {
  const view = { timeParticleSize: "week", startTime: "2026-08-22", endTime: "2026-08-24" };
  expect(labels(view, "+00:00", { weekStart: "sunday" })).toEqual(["2026-08-16", "2026-08-23"]);
});

it("leaves out the hour that the clock skips", () => {
  const view = { timeParticleSize: "hour", startTime: "2026-03-29 00:00:00", endTime: "2026-03-29 04:59:59" };
  expect(labels(view, "Europe/Berlin")).toEqual([
    "2026-03-29 00:00",
    "2026-03-29 01:00",
    "2026-03-29 03:00",
    "2026-03-29 04:00",
  ]);
});

it("has one step for the hour that comes twice, two hours long", () => {
  const view = {
    recentDay: "",
    timeParticleSize: "hour",
    startTime: "2026-10-25 01:00:00",
    endTime: "2026-10-25 03:59:59",
  };
  const [period] = describe({ view }, projectOf({}, "Europe/Berlin")).periods;
  expect(period!.buckets.map(({ label, startMs, endMs }) => [label, (endMs - startMs) / 3_600_000])).toEqual([
    ["2026-10-25 01:00", 1],
    ["2026-10-25 02:00", 2],
    ["2026-10-25 03:00", 1],
  ]);
});

it("has days of 23 and 25 hours", () => {
  const days = (startTime: string, endTime: string) =>
    describe(
      { view: { recentDay: "", startTime, endTime } },
      projectOf({}, "Europe/Berlin"),
    ).periods[0]!.buckets.map(({ startMs, endMs }) => (endMs - startMs) / 3_600_000);
  expect([...days("2026-03-29", "2026-03-30"), ...days("2026-10-24", "2026-10-25")]).toEqual([
    23, 24, 24, 25,
  ]);
});

it("cuts the first and last step to the range", () => {
  const view = {
    recentDay: "",
    timeParticleSize: "day",
    startTime: "2026-08-26 10:00:00",
    endTime: "2026-08-27 11:59:59",
  };
  const { localEdges } = bucketsOf(describe({ view }).periods[0]!);
  expect(localEdges.map(formatSecond)).toEqual([
    "2026-08-26 10:00:00",
    "2026-08-27 00:00:00",
    "2026-08-27 12:00:00",
  ]);
});

it("moves the range into the query's zone", () => {
  const plan = describe({ view: { recentDay: "1-1" }, body: { zoneOffset: 8 } });
  const [period] = plan.periods;
  expect([period!.startMs, period!.endMs]).toEqual([Date.UTC(2026, 7, 24, 16), Date.UTC(2026, 7, 25, 16)]);
  expect(compileScan(plan, plan.scans[0]!, period!).zone).toEqual([
    { fromMs: Number.NEGATIVE_INFINITY, offsetMs: 28_800_000 },
  ]);
});

it("takes today from the query's zone", () => {
  const view = { recentDay: "0-1" };
  const first = (zoneOffset: number) =>
    describe({ view, body: { zoneOffset } }).periods[0]!.buckets[0]!.label;
  expect([first(-12), first(0), first(12), first(14)]).toEqual([
    "2026-08-26",
    "2026-08-26",
    "2026-08-27",
    "2026-08-27",
  ]);
});

it("compares with a range of its own", () => {
  const view = { recentDay: "0-2", comparedByTime: true, comparedRecentDay: "2-3" };
  const [, compared] = describe({ view }).periods;
  expect(compared!.buckets.map(({ label }) => label)).toEqual(["2026-08-23", "2026-08-24"]);
});

it("passes over the other range unless it compares, and says so", () => {
  const view = { comparedRecentDay: "nonsense", comparedStartTime: "2026-08-01", comparedEndTime: "" };
  const { periods, warnings } = describe({ view: { comparedByTime: false, ...view } });
  expect(periods).toHaveLength(1);
  expect(warnings.map(({ message }) => message)).toEqual(
    ["comparedRecentDay", "comparedStartTime"].map(
      (name) => `eventView.${name} has no effect without comparedByTime`,
    ),
  );
});

it.each([
  [
    { view: { recentDay: "", startTime: "2016-01-01", endTime: "2025-12-31", timeParticleSize: "minute" } },
    "eventView.timeParticleSize: gives about 5260320 steps in this range, at most 20000 are possible; use wider steps or a shorter range",
  ],
  [{ body: { zoneOffset: 25 } }, "zoneOffset: 25 must be a number of hours from -12 to 14"],
  [
    { view: { comparedByTime: true } },
    "eventView.comparedStartTime: is required without a relative range; must be an existing time, as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd",
  ],
])("refuses %j", (asked, refusal) => {
  expect(refusalsOf(asked)).toContain(refusal);
});
