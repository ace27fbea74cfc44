import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLocalTime } from "../../../../../base/time/local-time.ts";
import {
  endInstant,
  firstInstant,
  stepsWithin,
  toLocal,
  zoneOfOffset,
  zoneOfProject,
} from "../../../../../services/analysis/describe/time/zone.ts";

const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "+05:45"];
const local = (text: string) => parseLocalTime(text)!;
const iso = (instantMs: number) => new Date(instantMs).toISOString();

it.each([
  ["+08:00", { offsetHours: 8 }],
  ["-03:30", { offsetHours: -3.5 }],
  ["Europe/Berlin", { iana: "Europe/Berlin" }],
])("names the zone %s", (zone, name) => {
  expect(zoneOfProject(zone).name).toEqual(name);
});

it("takes fractions of hours", () => {
  expect(toLocal(zoneOfOffset(5.75), 0)).toBe(5.75 * 3_600_000);
});

it("shows the clock that Intl shows", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones.slice(0, 4)),
      fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) }),
      (name, instantMs) => {
        const format = new Intl.DateTimeFormat("sv-SE", {
          timeZone: name,
          dateStyle: "short",
          timeStyle: "medium",
        });
        const shown = new Date(toLocal(zoneOfProject(name), instantMs)).toISOString();
        expect(shown.slice(0, 19).replace("T", " ")).toBe(format.format(instantMs));
      },
    ),
  );
});

describe("instants of local times", () => {
  const berlin = zoneOfProject("Europe/Berlin").steps;

  it.each([
    ["2026-08-26 00:00:00", "2026-08-25T22:00:00.000Z", "2026-08-25T22:00:00.000Z"],
    // Skipped: 02:30 does not exist.
    ["2026-03-29 02:30:00", "2026-03-29T01:00:00.000Z", "2026-03-29T01:00:00.000Z"],
    // Repeated: the first one starts, the second one ends.
    ["2026-10-25 02:30:00", "2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"],
  ])("finds that %s first starts at %s and ends for good at %s", (text, first, end) => {
    expect([iso(firstInstant(berlin, local(text))), iso(endInstant(berlin, local(text)))]).toEqual([
      first,
      end,
    ]);
  });

  it("hold all instants that show a time of a range, and hardly more", () => {
    const time = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2027, 0) });
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        time,
        fc.integer({ min: 1, max: 400_000_000 }),
        (name, from, width) => {
          const zone = zoneOfProject(name);
          const [startMs, endMs] = [firstInstant(zone.steps, from), endInstant(zone.steps, from + width)];
          const inside = (instantMs: number) => {
            const shown = toLocal(zone, instantMs);
            return shown >= from && shown < from + width;
          };
          expect([inside(startMs - 1), inside(endMs)]).toEqual([false, false]);
          expect(toLocal(zone, startMs)).toBeGreaterThanOrEqual(from);
        },
      ),
    );
  });

  it("are found in few steps where few matter", () => {
    const [startMs, endMs] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 3, 30)];
    expect(stepsWithin(berlin, startMs, endMs)).toEqual([
      { fromMs: Number.NEGATIVE_INFINITY, offsetMs: 3_600_000 },
      { fromMs: Date.UTC(2026, 2, 29, 1), offsetMs: 7_200_000 },
    ]);
  });
});
