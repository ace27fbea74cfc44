import { describe, expect, it } from "vitest";
import { IntakeBehindError } from "../../../store/intake/intake.ts";
import { place, type Using } from "./store.ts";

export function describeBatches(using: Using): void {
  describe("batches", () => {
    it(
      "have their claims taken back when the store has not loaded them",
      using((under, first) => {
        let intake = first;
        const claims = () => [intake.claimUuid(1, "u", 1_000), intake.claimFirstCheck(1, "open", "d")];
        intake.begin(place(0));
        expect(claims()).toEqual([true, true]);
        intake.commit(place(10));
        intake[Symbol.dispose]();
        intake = under.open();
        intake.rewind(undefined);
        intake.begin(place(0));
        expect(claims()).toEqual([true, true]);
        intake.commit(place(10));
        intake.rewind(place(10));
        intake.begin(place(10));
        expect(claims()).toEqual([false, false]);
      }),
    );
    it(
      "that were not committed never were",
      using((under, intake) => {
        intake.begin(place(0));
        intake.resolve(1, "gone", undefined);
        intake.claimUuid(1, "u", 1_000);
        intake[Symbol.dispose]();
        const again = under.open();
        expect(again.preparedTo()).toBeUndefined();
        again.rewind(undefined);
        again.begin(place(0));
        expect(again.resolve(1, "here", undefined).userId).toBe(1);
        expect(again.claimUuid(1, "u", 1_000)).toBe(true);
      }),
    );
    it(
      "are dropped by a rewind",
      using((_under, intake) => {
        intake.begin(place(0));
        intake.resolve(1, "gone", undefined);
        intake.claimUuid(1, "u", 1_000);
        intake.rewind(undefined);
        intake.begin(place(0));
        expect(intake.resolve(1, "here", undefined).userId).toBe(1);
        expect(intake.claimUuid(1, "u", 1_000)).toBe(true);
      }),
    );
    it(
      "tell where the last one ended",
      using((under, intake) => {
        const to = { number: 1_999_999, offset: 4_294_967_295 };
        intake.begin(place(0));
        intake.commit(to);
        intake[Symbol.dispose]();
        expect(under.open().preparedTo()).toEqual(to);
      }),
    );
    it(
      "must have been prepared when the store has loaded them",
      using((_under, intake) => {
        intake.begin(place(0));
        intake.commit(place(10));
        expect(() => intake.rewind(place(11))).toThrow(IntakeBehindError);
      }),
    );
  });
}
