import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ScheduleSchema } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { checkSchedule, compileTimes } from "../../../../services/channel/schedule/schedule.ts";

const ms = (text: string): number => Date.parse(text);
const nowMs = ms("2026-03-01T00:00:00Z");

function nextTimes(schedule: { at?: string; cron?: string; zone?: string }, from: string, count: number) {
  const times = compileTimes(create(ScheduleSchema, schedule), "Europe/Berlin");
  const found: string[] = [];
  for (let at: number | null = ms(from); at !== null && found.length < count; ) {
    at = times.next(at);
    if (at !== null) found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe("times", () => {
  it.each<[string, { at?: string; cron?: string; zone?: string }, string, string[]]>([
    [
      "of the project's zone",
      { cron: "0 9 * * *" },
      "2026-01-01T00:00Z",
      ["2026-01-01T08:00", "2026-01-02T08:00"],
    ],
    ["of an offset", { cron: "0 9 * * 1", zone: "+08:00" }, "2026-10-25T00:00Z", ["2026-10-26T01:00"]],
    [
      "that the clocks skip",
      { cron: "30 2 * * *" },
      "2026-03-28T12:00Z",
      ["2026-03-29T01:00", "2026-03-30T00:30"],
    ],
    [
      "that the clocks repeat",
      { cron: "30 2 * * *" },
      "2026-10-24T12:00Z",
      ["2026-10-25T00:30", "2026-10-26T01:30"],
    ],
    [
      "through a repeated hour",
      { cron: "*/30 * * * *" },
      "2026-10-25T00:00Z",
      ["2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30", "2026-10-25T02:00"],
    ],
    ["of leap days", { cron: "0 0 29 2 *", zone: "UTC" }, "2026-01-01T00:00Z", ["2028-02-29T00:00"]],
    ["of the last day", { cron: "0 0 L * *", zone: "UTC" }, "2026-02-01T00:00Z", ["2026-02-28T00:00"]],
    ["once", { at: "2026-07-01 10:00:00" }, "2026-01-01T00:00Z", ["2026-07-01T08:00"]],
    ["once, in a repeated hour", { at: "2026-10-25 02:30:00" }, "2026-01-01T00:00Z", ["2026-10-25T00:30"]],
  ])("%s", (_what, schedule, from, expected) => {
    expect(nextTimes(schedule, from, expected.length)).toEqual(expected);
  });

  it("end with the only one", () => {
    expect(nextTimes({ at: "2026-07-01 10:00:00" }, "2026-01-01T00:00Z", 2)).toHaveLength(1);
  });

  it("are looked up backwards, the moment itself included", () => {
    const times = compileTimes(create(ScheduleSchema, { cron: "*/5 * * * *" }), "UTC");
    expect(times.last(ms("2026-01-01T00:07:00Z"))).toBe(ms("2026-01-01T00:05:00Z"));
    expect(times.last(ms("2026-01-01T00:05:00Z"))).toBe(ms("2026-01-01T00:05:00Z"));
    const once = compileTimes(create(ScheduleSchema, { at: "2026-01-01 00:05:00" }), "UTC");
    expect(once.last(ms("2026-01-01T00:05:00Z"))).toBe(ms("2026-01-01T00:05:00Z"));
    expect(once.last(ms("2026-01-01T00:04:00Z"))).toBeNull();
  });
});

describe("a schedule", () => {
  it.each<[{ at?: string; cron?: string; zone?: string }, string]>([
    [{}, "at or cron is required"],
    [{ at: "2027-01-01 00:00:00", cron: "* * * * *" }, "at and cron are set"],
    [{ at: "2027-01-01" }, 'at is "2027-01-01", valid are times such as'],
    [{ at: "2027-02-29 00:00:00" }, 'at is "2027-02-29 00:00:00", valid'],
    [{ at: "2027-01-01 24:00:00" }, 'at is "2027-01-01 24:00:00", valid'],
    [{ at: "2026-02-28 00:00:00" }, 'at is "2026-02-28 00:00:00" in Europe/Berlin, which is past'],
    [{ cron: "* * * *" }, 'cron is "* * * *", valid are five fields'],
    [{ cron: "0 * * * * *" }, "valid are five fields"],
    [{ cron: "@daily" }, "valid are five fields"],
    [{ cron: "? * * * *" }, "valid are five fields"],
    [{ cron: "61 * * * *" }, "valid are five fields"],
    [{ cron: "0 9 31 2 *" }, 'cron is "0 9 31 2 *", which has no future time'],
    [{ cron: "* * * * *", zone: "Nowhere/X" }, 'zone is "Nowhere/X", valid are offsets'],
    [{ cron: "* * * * *", zone: "+15:00" }, 'zone is "+15:00", valid are offsets'],
    [{ cron: `${"1,".repeat(498)}1 * * * *` }, "cron has 1005 characters, at most 1000 are valid"],
  ])("%j is refused", (schedule, message) => {
    const faults = checkSchedule(create(ScheduleSchema, schedule), "Europe/Berlin", nowMs);
    expect(faults).toHaveLength(1);
    expect(`${faults[0]!.field} ${faults[0]!.description}`).toContain(message);
  });

  it.each([
    { cron: "*/15 8-18 * * MON-FRI" },
    { cron: "0 9 * * 1", zone: "+08:00" },
    { at: "2026-03-29 02:30:00", zone: "Europe/Berlin" },
  ])("%j is taken", (schedule) => {
    expect(checkSchedule(create(ScheduleSchema, schedule), "UTC", nowMs)).toEqual([]);
  });
});
