import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  floorToDay,
  formatDate,
  formatLocalTime,
  formatMinute,
  formatSecond,
  maxLocalMs,
  minLocalMs,
  parseDate,
  parseLocalTime,
  readLocalTime,
} from "../../../base/time/local-time.ts";

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

  it("are read from bytes as from texts, whichever was read before", () => {
    const minutes = fc.constantFrom(
      "2026-01-02 03:04:",
      "2026-01-02 03:05:",
      "2026-02-29 03:04:",
      "2026-01-02T03:04:",
    );
    const digits = fc.stringMatching(/^[0-6][0-9]$/);
    const ends = fc.constantFrom("", ".000", ".678", ".67", ".6a8", ",678", ".6789", "é", "Z");
    const texts = fc.tuple(minutes, digits, ends).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(fc.oneof(texts, fc.string()), { maxLength: 20 }), fc.nat(9), (list, start) => {
        const read = list.map((text) => {
          const bytes = Buffer.from(`${" ".repeat(start)}${text}7`);
          return readLocalTime(bytes, start, bytes.length - 1);
        });
        expect(read).toEqual(list.map(parseLocalTime));
      }),
    );
  });

  it("are read from bytes when none was read before", async () => {
    const fresh = "../../../base/time/local-time.ts?fresh";
    const unused = (await import(fresh)) as typeof import("../../../base/time/local-time.ts");
    expect(unused.readLocalTime(Buffer.from(`${"\0".repeat(17)}07`), 0, 19)).toBeUndefined();
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

describe("dates", () => {
  it.each([
    ["2026-01-02", "2026-01-02 00:00:00.000"],
    ["0001-01-01", "0001-01-01 00:00:00.000"],
    ["2024-02-29", "2024-02-29 00:00:00.000"],
  ])("%s starts at %s", (text, start) => {
    expect(formatLocalTime(parseDate(text)!)).toBe(start);
  });

  it.each(["", "2026-1-2", "2026-02-29", "2026-13-01", "2026/01/02", "2026-01-02 00:00:00", "0000-01-01"])(
    "%j is none",
    (text) => {
      expect(parseDate(text)).toBeUndefined();
    },
  );
});

it("writes less of a time as a prefix of it", () => {
  const ms = parseLocalTime("2026-01-02 03:04:05.678")!;
  expect([formatSecond(ms), formatMinute(ms), formatDate(ms)]).toEqual([
    "2026-01-02 03:04:05",
    "2026-01-02 03:04",
    "2026-01-02",
  ]);
  expect(formatLocalTime(floorToDay(ms))).toBe("2026-01-02 00:00:00.000");
});

it("writes the first and the last time", () => {
  expect([minLocalMs, maxLocalMs].map(formatLocalTime)).toEqual([
    "0001-01-01 00:00:00.000",
    "9999-12-31 23:59:59.999",
  ]);
});
