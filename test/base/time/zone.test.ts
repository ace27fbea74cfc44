import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLocalTime } from "../../../base/time/local-time.ts";
import { hourMs } from "../../../base/time/units.ts";
import { compileToInstant, compileZone, configuredZone, dateIn, toInstant } from "../../../base/time/zone.ts";

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
    expect(() => configuredZone("Nowhere/City")).toThrow(RangeError);
    expect(["Nowhere/City", "+25:00", "+15:00", "-12:30", "CEST"].map(compileZone)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });

  it.each([
    ["Europe/Berlin", "2026-10-25 00:59:59.999", 2],
    ["Europe/Berlin", "2026-10-25 01:00:00.000", 1],
    ["Asia/Kathmandu", "1985-12-31 18:29:59.999", 5.5],
    ["Asia/Kathmandu", "1985-12-31 18:30:00.000", 5.75],
    // The last place whose offset changed within a quarter of an hour.
    ["Africa/Monrovia", "1972-01-07 00:44:29.999", -0.741_666_666_666_666_7],
    ["Africa/Monrovia", "1972-01-07 00:44:30.000", 0],
    ["Asia/Manila", "1840-01-01 00:00:00.000", -15.935_555_555_555_556],
  ])("%s at %s UTC is %d hours east", (zone, instant, hours) => {
    expect(configuredZone(zone).offsetAt(at(instant)) / hourMs).toBe(hours);
  });

  it.each([
    ["Z", 0],
    ["UTC", 0],
    ["GMT", 0],
    ["+08:00", 8],
    ["+0800", 8],
    ["+08", 8],
    ["-03:30", -3.5],
    ["+14:00", 14],
    ["-00:44:30", -0.741_666_666_666_666_7],
  ])("%s is %d hours east at all times", (zone, hours) => {
    expect(compileZone(zone)!.fixedMs! / hourMs).toBe(hours);
  });

  it.each([
    ["UTC", "2026-01-01"],
    ["Europe/Berlin", "2026-01-02"],
    ["-05:00", "2026-01-01"],
  ])("%s shows the day %s", (zone, day) => {
    expect(dateIn(configuredZone(zone), Date.UTC(2026, 0, 1, 23, 30))).toBe(day);
  });

  it("are of offsets that a configuration may have and a text may not", () => {
    expect(configuredZone("-14:30").fixedMs).toBe(-14.5 * hourMs);
  });

  it("show instants as the local times they are read from", () => {
    const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"];
    const times = fc.integer({ min: Date.UTC(1960, 0), max: Date.UTC(2060, 0) });
    fc.assert(
      fc.property(fc.constantFrom(...zones), times, (name, localMs) => {
        const zone = configuredZone(name);
        const instant = toInstant(zone, localMs);
        const shown = instant + zone.offsetAt(instant);
        // A skipped time is moved by the length of the gap.
        expect([0, hourMs / 2, hourMs]).toContain(shown - localMs);
      }),
    );
  });
});
