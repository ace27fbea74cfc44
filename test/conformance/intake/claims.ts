import { describe, expect, it } from "vitest";
import type { Intake } from "../../../store/intake/intake.ts";
import { keysOf, place, type Using, windowMs } from "./store.ts";

const keys = keysOf(["u", "U", "device", ...Array.from({ length: 20_001 }, (_, i) => `u-${i}`)]);

export function describeClaims(using: Using): void {
  describe("uuids", () => {
    it(
      "are taken once within the window, by project",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        const claim = (project: number, uuid: string, ms: number) => intake.claimUuid(project, uuid, ms);
        expect(claim(1, "u", 1_000_000)).toBe(true);
        expect(claim(1, "u", 1_000_000)).toBe(false);
        expect(claim(2, "u", 1_000_000)).toBe(true);
        expect(claim(1, "U", 1_000_000)).toBe(true);
        expect(claim(1, "u", 1_000_000 + windowMs - 1)).toBe(false);
        expect(claim(1, "u", 1_000_000 + windowMs)).toBe(true);
        expect(claim(1, "u", 1_000_000 + windowMs + 1)).toBe(false);
      }),
    );
    it(
      "are known after it was opened again",
      using(async (under, intake) => {
        await intake.begin(place(0), keys);
        for (let i = 0; i < 20_000; i++) expect(intake.claimUuid(1, `u-${i}`, 1_000_000 + i)).toBe(true);
        await intake.commit(place(1));
        await intake[Symbol.asyncDispose]();
        const again = await under.open();
        await again.rewind(place(1));
        await again.begin(place(1), keys);
        const known = Array.from({ length: 20_000 }, (_, i) => again.claimUuid(1, `u-${i}`, 1_001_000 + i));
        // The window of those before the last 10 s has passed when the batch ends.
        expect(known.slice(10_000).includes(true)).toBe(false);
        expect(again.claimUuid(1, "u-20000", 1_020_000)).toBe(true);
      }),
    );
  });
  describe("first checks", () => {
    it(
      "are taken once for ever, by project and event",
      using(async (under, intake) => {
        await intake.begin(place(0), keys);
        const claim = (of: Intake, project: number, event: string) =>
          of.claimFirstCheck(project, event, "device");
        expect([claim(intake, 1, "open"), claim(intake, 1, "open"), claim(intake, 1, "Open")]).toEqual([
          true,
          false,
          true,
        ]);
        expect(claim(intake, 2, "open")).toBe(true);
        await intake.commit(place(1));
        await intake[Symbol.asyncDispose]();
        const again = await under.open();
        await again.rewind(place(1));
        await again.begin(place(1), keys);
        expect([claim(again, 1, "open"), claim(again, 2, "open"), claim(again, 3, "open")]).toEqual([
          false,
          false,
          true,
        ]);
      }),
    );
  });
}
