import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../../../../services/parser/line/line.ts";
import { createProblems } from "../../../../../services/parser/mapping/problems.ts";
import { compileTimePattern } from "../../../../../services/parser/mapping/time/pattern.ts";
import { compileTime, type TimeConfig } from "../../../../../services/parser/mapping/time/time.ts";

const now = Date.UTC(2024, 2, 10, 12);

function compile(config: TimeConfig) {
  const problems = createProblems();
  const read = compileTime(config, () => now, [], problems);
  expect(problems.list).toEqual([]);
  return read;
}

function write(format: string, text: unknown, zones: Omit<TimeConfig, "format"> = {}) {
  return compile({ format: [format], ...zones })(text);
}

describe("formats", () => {
  test.each([
    ["iso", "2024-03-10", "2024-03-10 00:00:00.000"],
    ["iso", "2024-03-10 01:02", "2024-03-10 01:02:00.000"],
    ["iso", "2024-03-10T01:02:03", "2024-03-10 01:02:03.000"],
    ["iso", "2024-03-10 01:02:03.5", "2024-03-10 01:02:03.500"],
    ["iso", "2024-03-10 01:02:03,123456789", "2024-03-10 01:02:03.123"],
    ["iso", " 2024-03-10 01:02:03 ", "2024-03-10 01:02:03.000"],
    ["yyyyMMddHHmmss", "20240310010203", "2024-03-10 01:02:03.000"],
    ["yyyyMMddHHmmssSSS", "20240310010203004", "2024-03-10 01:02:03.004"],
    ["yyyyMMdd", 20240310, "2024-03-10 00:00:00.000"],
    ["yyyy-MM-dd HH:mm:ss.S", "2024-03-10 01:02:03.123456", "2024-03-10 01:02:03.123"],
    ["d/M/yy H:m:s", "1/2/24 3:4:5", "2024-02-01 03:04:05.000"],
    ["dd.MM.yy", "31.12.69", "1969-12-31 00:00:00.000"],
    ["MMM d, yyyy h:mm a", "Mar 5, 2024 12:30 AM", "2024-03-05 00:30:00.000"],
    ["a hh:mm dd MMMM yyyy", "pm 12:30 05 march 2024", "2024-03-05 12:30:00.000"],
    ["EEE MMM dd HH:mm:ss yyyy", "Sun Mar 10 01:02:03 2024", "2024-03-10 01:02:03.000"],
    ["yyyy-MM-dd'T'HH 'o''clock'", "2024-03-10T01 o'clock", "2024-03-10 01:00:00.000"],
    ["MMM d HH:mm:ss", "Mar  9 01:02:03", "2024-03-09 01:02:03.000"],
  ])("%s: %s", (format, text, expected) => {
    expect(write(format, text)).toEqual({ text: expected, offsetHours: undefined });
  });

  test.each([
    ["unix", 1710032523, "2024-03-10 01:02:03.000"],
    ["unix", "1710032523.123", "2024-03-10 01:02:03.123"],
    ["unix", "-1.5", "1969-12-31 23:59:58.500"],
    ["unix_ms", "1710032523123", "2024-03-10 01:02:03.123"],
    ["iso", "2024-03-10T01:02:03Z", "2024-03-10 01:02:03.000"],
    ["yyyy-MM-dd HH:mm z", "2024-03-10 01:02 UTC", "2024-03-10 01:02:00.000"],
  ])("%s: %s is a time of UTC", (format, text, expected) => {
    expect(write(format, text)).toEqual({ text: expected, offsetHours: 0 });
  });
});

describe("a leap second", () => {
  const end = "2016-12-31 23:59:59.999";

  test.each<[string, string, Omit<TimeConfig, "format">, string]>([
    ["iso", "2016-12-31T23:59:60", {}, end],
    ["iso", "2016-12-31T23:59:60Z", {}, end],
    ["iso", "2016-12-31 23:59:60.123456", {}, end],
    ["yyyy-MM-dd HH:mm:ss", "2016-12-31 23:59:60", {}, end],
    ["yyyyMMddHHmmssSSS", "20161231235960000", {}, end],
    ["dd/MMM/yyyy:HH:mm:ss Z", "01/Jan/2017:07:59:60 +0800", { outputZone: "UTC" }, end],
    ["MMM d, yyyy h:m:s a", "Dec 31, 2016 11:59:60 PM", {}, end],
    ["MMM d HH:mm:ss", "Dec 31 23:59:60", {}, "2023-12-31 23:59:59.999"],
    ["iso", "2016-12-31 23:59:60", { zone: "Europe/London", outputZone: "UTC" }, end],
  ])("%s: %s is the last millisecond before it", (format, text, zones, expected) => {
    expect(write(format, text, zones)).toMatchObject({ text: expected });
  });
});

describe("refused", () => {
  test.each([
    ["iso", "2024-02-30"],
    ["iso", "2023-02-29"],
    ["iso", "1900-02-29"],
    ["iso", "2024-13-01"],
    ["iso", "2024-00-01"],
    ["iso", "0000-01-01"],
    ["iso", "2024-01-01 24:00"],
    ["iso", "2024-01-01 00:60"],
    ["iso", "2024-01-01 00:00:61"],
    ["iso", "2024-01-01 00:60:60"],
    ["yyyy-MM-dd HH:mm:ss", "2024-01-01 00:00:61"],
    ["d/M/yyyy H:m:s", "1/1/2024 0:0:61"],
    ["iso", "2024-01-01 00:00:00."],
    ["iso", "2024-01-01 00:00:00x"],
    ["iso", "2024-01-01T00:00:00+15:00"],
    ["iso", "2024-1-1"],
    ["iso", ""],
    ["yyyy-MM-dd HH:mm:ss", "2024-03-10 01:02:0x"],
    ["yyyy-MM-dd HH:mm:ss", "2024-03-10 01:02:033"],
    ["yyyy-MM-dd HH:mm:ss", "2024-03-10T01:02:03"],
    ["yyyy-MM-dd h a", "2024-03-10 13 pm"],
    ["yyyy-MM-dd h a", "2024-03-10 1 xm"],
    ["yyyy MMM dd", "2024 Foo 10"],
    ["yyyy-MM-dd z", "2024-03-10 CST"],
    ["yyyy-MM-dd z", "2024-03-10 Mars/Base"],
    ["unix", "x"],
    ["unix", "1710032523123"],
    ["unix", "1.2.3"],
    ["unix_ms", "1e99"],
    ["unix_ms", "."],
  ])("%s: %s", (format, text) => {
    const written = write(format, text);
    expect(written).toBeInstanceOf(Refusal);
    expect(written).toMatchObject({ reason: "invalid_value", message: expect.stringContaining(format) });
  });
});

describe("zones", () => {
  const at = "2024-03-10 01:02:03";
  const newYork = "America/New_York";

  test.each<[string, string, Omit<TimeConfig, "format">, string, number]>([
    ["stays in its zone", at, { zone: "+08:00" }, "2024-03-10 01:02:03.000", 8],
    ["half hours", at, { zone: "+05:30" }, "2024-03-10 01:02:03.000", 5.5],
    ["is moved", at, { zone: "+08:00", outputZone: "UTC" }, "2024-03-09 17:02:03.000", 0],
    ["by names", at, { zone: "Asia/Shanghai", outputZone: "Asia/Kolkata" }, "2024-03-09 22:32:03.000", 5.5],
    ["its own zone wins", `${at}-0500`, { zone: "+08:00" }, "2024-03-10 14:02:03.000", 8],
    ["its own zone alone", `${at} -05`, {}, "2024-03-10 01:02:03.000", -5],
    ["only an output zone", at, { outputZone: "+08:00" }, "2024-03-10 01:02:03.000", 8],
    ["before summer time", "2024-03-10 01:59:59", { zone: newYork }, "2024-03-10 01:59:59.000", -5],
    ["after it began", "2024-03-10 03:00:00", { zone: newYork }, "2024-03-10 03:00:00.000", -4],
    [
      "a skipped time",
      "2024-03-10 02:30:00",
      { zone: newYork, outputZone: "UTC" },
      "2024-03-10 07:30:00.000",
      0,
    ],
    [
      "a skipped time in its own zone",
      "2024-03-10 02:30:00",
      { zone: newYork },
      "2024-03-10 02:30:00.000",
      -5,
    ],
    [
      "a repeated time is the first",
      "2024-11-03 01:30:00",
      { zone: newYork, outputZone: "UTC" },
      "2024-11-03 05:30:00.000",
      0,
    ],
    ["45 minutes", at, { zone: "Asia/Kathmandu", outputZone: "Z" }, "2024-03-09 19:17:03.000", 0],
  ])("%s", (_name, text, zones, expected, offsetHours) => {
    expect(write("iso", text, zones)).toEqual({ text: expected, offsetHours });
  });

  test("the first format that fits is taken", () => {
    const read = compile({ format: ["dd/MMM/yyyy:HH:mm:ss Z", "unix", "iso"] });
    const texts = ["10/Mar/2024:01:02:03 +0100", 1710032523, at].map((value) => read(value));
    expect(texts).toMatchObject([
      { text: "2024-03-10 01:02:03.000", offsetHours: 1 },
      { text: "2024-03-10 01:02:03.000", offsetHours: 0 },
      { text: "2024-03-10 01:02:03.000" },
    ]);
  });
});

describe("patterns with a fault", () => {
  test.each([
    "yyyy",
    "HH:mm",
    "yyyy-MM-dd hh:mm",
    "yyyy-MM-ddTHH",
    "yyy-MM-dd",
    "yyyy-MMMMM-dd",
    "yyyy-MM-dd aa",
    "yyyy-MM-dd 'x",
    "",
    "%Y",
  ])("%s", (pattern) => {
    expect(compileTimePattern(pattern)).toBeTypeOf("string");
  });
});

/** Times of the years 1 to 9999, with a day to spare for zones. */
const instants = fc.integer({
  min: Date.UTC(2000, 0, 1) - 1999 * 365 * 86_400_000,
  max: Date.UTC(9999, 11, 30),
});

function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}

describe("what is formatted is read back", () => {
  test("as ISO, by place and step by step, at any time", () => {
    const reads = ["iso", "yyyy-MM-dd'T'HH:mm:ss.SSSX", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"].map((format) =>
      compile({ format: [format] }),
    );
    fc.assert(
      fc.property(instants, (instant) => {
        const iso = isoOf(instant);
        const expected = iso.replace("T", " ").replace("Z", "");
        expect(reads.map((read) => read(iso))).toMatchObject(reads.map(() => ({ text: expected })));
      }),
    );
  });

  test("as milliseconds", () => {
    const read = compile({ format: ["unix_ms"] });
    fc.assert(
      fc.property(instants, (instant) => {
        expect(read(instant)).toMatchObject({ text: isoOf(instant).replace("T", " ").replace("Z", "") });
      }),
    );
  });

  test("through a zone and its offset", () => {
    const zones = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "+05:30"];
    const recent = fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2035, 0, 1) });
    const reads = zones.map((outputZone) => compile({ format: ["unix_ms"], outputZone }));
    fc.assert(
      fc.property(recent, fc.constantFrom(...reads), (instant, read) => {
        const written = read(instant) as { text: string; offsetHours: number };
        const local = Date.parse(`${written.text.replace(" ", "T")}Z`);
        expect(local - written.offsetHours * 3_600_000).toBe(instant);
      }),
    );
  });
});
