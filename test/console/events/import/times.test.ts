import { describe, expect, test } from "vitest";
import { guessOrder, readTime } from "../../../../console/src/pages/events/import/times.ts";

describe("readTime", () => {
  test.each([
    ["2026-01-31 13:45:00", "2026-01-31 13:45:00.000", false],
    ["2026-01-31T13:45:00.1234567", "2026-01-31 13:45:00.123", false],
    ["2026/1/3", "2026-01-03 00:00:00.000", false],
    ["2026.01.03 7:05", "2026-01-03 07:05:00.000", false],
    ["2026-01-31T23:30:00Z", "2026-01-31 23:30:00.000", true],
    ["2026-01-31T23:30:00+08:00", "2026-01-31 15:30:00.000", true],
    ["2026-01-31 23:30:00 -0130", "2026-02-01 01:00:00.000", true],
    ["1767225600", "2026-01-01 00:00:00.000", true],
    ["1767225600.25", "2026-01-01 00:00:00.250", true],
    ["1767225600250", "2026-01-01 00:00:00.250", true],
    ["1/2/2026", "2026-01-02 00:00:00.000", false],
    ["1/2/2026 10:00:01", "2026-01-02 10:00:01.000", false],
  ])("%s is %s", (text, expected, isUtc) =>
    expect(readTime(text, "monthFirst")).toEqual({ text: expected, isUtc }),
  );

  test.each([
    "",
    "soon",
    "2026-02-30",
    "2026-13-01",
    "2026-01-01 24:00:00",
    "20260101",
    "12",
    "31/12/2026",
    "2026-01-01 10",
  ])("%o is no time", (text) => expect(readTime(text, "monthFirst")).toBeUndefined());

  test("the order of day and month is that in which most dates are valid", () => {
    expect(guessOrder(["1/2/2026", "31/1/2026"])).toBe("dayFirst");
    expect(guessOrder(["1/2/2026", "1/31/2026"])).toBe("monthFirst");
    expect(guessOrder(["1/2/2026"])).toBe("monthFirst");
    expect(readTime("1/2/2026", "dayFirst")?.text).toBe("2026-02-01 00:00:00.000");
  });
});
