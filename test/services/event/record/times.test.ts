import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLocalTime, parseLocalTime } from "../../../../services/event/record/local-time.ts";
import { compileToInstant } from "../../../../services/event/record/zone.ts";

describe("local times", () => {
  it("are read as they are written", () => {
    const instants = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(instants, (ms) => {
        const text = formatLocalTime(ms);
        const whole = ms - (((ms % 1_000) + 1_000) % 1_000);
        expect([parseLocalTime(text), parseLocalTime(text.slice(0, 19))]).toEqual([ms, whole]);
      }),
    );
  });

  it("are read from their form alone", () => {
    const form = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3})?$/;
    const texts = fc.stringMatching(
      /^[0-9]{4}[-/][0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}[.0-9]{0,4}$/,
    );
    fc.assert(
      fc.property(texts, (text) => {
        const iso = (text.length === 19 ? `${text}.000` : text).replace(/:60\.\d{3}$/, ":59.999");
        const back = form.test(text) && new Date(`${iso.replace(" ", "T")}Z`);
        const isReal =
          back instanceof Date && !Number.isNaN(back.getTime()) && formatLocalTime(back.getTime()) === iso;
        expect(parseLocalTime(text) !== undefined).toBe(isReal && !text.startsWith("0000"));
      }),
    );
  });

  it.each([
    "",
    "2026-01-02",
    "2026-01-02T03:04:05",
    "2026-01-02 03:04:05Z",
    "2026-1-2 03:04:05",
    "2026-02-29 00:00:00",
    "1900-02-29 00:00:00",
    "2026-04-31 00:00:00",
    "2026-13-01 00:00:00",
    "2026-00-01 00:00:00",
    "2026-01-00 00:00:00",
    "0000-01-01 00:00:00",
    "2026-01-02 24:00:00",
    "2026-01-02 00:60:00",
    "2026-01-02 00:00:61",
    "2026-01-02 00:00:60.5",
    "2026-01-02 03:04:05,678",
    "2026-01-02 03:04:05.67x",
    "２０２６-01-02 03:04:05",
  ])("%j is none", (text) => {
    expect(parseLocalTime(text)).toBeUndefined();
  });
});

describe("leap seconds", () => {
  it.each([
    ["2016-12-31 23:59:60", "2016-12-31 23:59:59.999"],
    ["2016-12-31 23:59:60.000", "2016-12-31 23:59:59.999"],
    ["2016-12-31 23:59:60.750", "2016-12-31 23:59:59.999"],
    ["2017-01-01 07:59:60", "2017-01-01 07:59:59.999"],
    ["2017-01-01 05:29:60.001", "2017-01-01 05:29:59.999"],
  ])("%s is %s", (text, read) => {
    expect(formatLocalTime(parseLocalTime(text)!)).toBe(read);
  });
});

describe("zones", () => {
  const at = (text: string): number => parseLocalTime(text) ?? Number.NaN;

  it.each([
    ["+00:00", "2026-07-01 12:00:00", "2026-07-01 12:00:00"],
    ["+08:00", "2026-07-01 12:00:00", "2026-07-01 04:00:00"],
    ["-09:30", "2026-07-01 12:00:00", "2026-07-01 21:30:00"],
    ["Asia/Shanghai", "2026-07-01 12:00:00", "2026-07-01 04:00:00"],
    ["Europe/Berlin", "2026-07-01 12:00:00", "2026-07-01 10:00:00"],
    ["Europe/Berlin", "2026-12-01 12:00:00", "2026-12-01 11:00:00"],
    ["Europe/Berlin", "2026-10-25 02:30:00", "2026-10-25 00:30:00"],
    ["Europe/Berlin", "2026-10-25 03:00:00", "2026-10-25 02:00:00"],
    ["Europe/Berlin", "2026-03-29 02:30:00", "2026-03-29 01:30:00"],
    ["Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04 14:45:00"],
    ["Etc/UTC", "2026-07-01 12:00:00", "2026-07-01 12:00:00"],
  ])("%s %s", (zone, local, instant) => {
    const toInstant = compileToInstant(zone);
    expect([toInstant(at(local)), toInstant(at(local) + 1)]).toEqual([at(instant), at(instant) + 1]);
  });

  it("must exist", () => {
    expect(() => compileToInstant("Nowhere/City")).toThrow(RangeError);
  });
});
