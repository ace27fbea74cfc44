import { describe, expect, it } from "vitest";
import { IntakeBehindError } from "../../../store/intake/intake.ts";
import { keysOf, place, type Using, windowMs } from "./store.ts";

const keys = keysOf(["u", "d", "gone", "here", "more-0", "more-1", "more-2", "more-3"]);

export function describeBatches(using: Using): void {
  describe("batches", () => {
    it(
      "have their claims taken back when the store has not loaded them",
      using(async (under, first) => {
        let intake = first;
        const claims = () => [intake.claimUuid(1, "u", 1_000), intake.claimFirstCheck(1, "open", "d")];
        await intake.begin(place(0), keys);
        expect(claims()).toEqual([true, true]);
        await intake.commit(place(10));
        await intake[Symbol.asyncDispose]();
        intake = await under.open();
        await intake.rewind(undefined);
        await intake.begin(place(0), keys);
        expect(claims()).toEqual([true, true]);
        await intake.commit(place(10));
        await intake.rewind(place(10));
        await intake.begin(place(10), keys);
        expect(claims()).toEqual([false, false]);
      }),
    );
    it(
      "find the claims of the window before them again, however late the batches after them were",
      using(async (under, first) => {
        let intake = first;
        const claimAll = async (from: number) => {
          const claimed: boolean[] = [];
          // The fourth is prepared after a pause of three windows.
          for (const [at, afterMs] of [0, 1_000, 2_000, 3 * windowMs].entries()) {
            if (at < from) continue;
            await intake.begin(place(at), keys);
            claimed.push(intake.claimUuid(1, "u", 1_000_000 + afterMs));
            intake.claimUuid(1, `more-${at}`, 1_000_000 + afterMs);
            await intake.commit(place(at + 1));
          }
          return claimed;
        };
        expect(await claimAll(0)).toEqual([true, false, false, true]);
        await intake.rewind(place(1));
        expect(await claimAll(1)).toEqual([false, false, true]);
        await intake[Symbol.asyncDispose]();
        intake = await under.open();
        await intake.rewind(place(2));
        expect(await claimAll(2)).toEqual([false, true]);
      }),
    );
    it(
      "begin while the one before is committed, and find its changes",
      using(async (under, first) => {
        let intake = first;
        const use = () => [
          intake.claimUuid(1, "u", 1_000),
          intake.claimFirstCheck(1, "open", "d"),
          intake.resolve(1, "here", undefined).userId,
          intake.resolve(1, undefined, "d").userId,
        ];
        const commits: Promise<void>[] = [];
        for (let at = 0; at < 3; at++) {
          await intake.begin(place(at), keys);
          expect(use()).toEqual([at === 0, at === 0, 1, 2]);
          await commits.at(-1);
          commits.push(intake.commit(place(at + 1)));
        }
        await commits.at(-1);
        await intake[Symbol.asyncDispose]();
        intake = await under.open();
        await intake.rewind(place(3));
        await intake.begin(place(3), keys);
        expect(use()).toEqual([false, false, 1, 2]);
      }),
    );
    it(
      "that were not committed never were",
      using(async (under, intake) => {
        await intake.begin(place(0), keys);
        intake.resolve(1, "gone", undefined);
        intake.claimUuid(1, "u", 1_000);
        await intake[Symbol.asyncDispose]();
        const again = await under.open();
        expect(await again.preparedTo()).toBeUndefined();
        await again.rewind(undefined);
        await again.begin(place(0), keys);
        expect(again.resolve(1, "here", undefined).userId).toBe(1);
        expect(again.claimUuid(1, "u", 1_000)).toBe(true);
      }),
    );
    it(
      "are dropped by a rewind",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        intake.resolve(1, "gone", undefined);
        intake.claimUuid(1, "u", 1_000);
        await intake.rewind(undefined);
        await intake.begin(place(0), keys);
        expect(intake.resolve(1, "here", undefined).userId).toBe(1);
        expect(intake.claimUuid(1, "u", 1_000)).toBe(true);
      }),
    );
    it(
      "tell where the last one ended",
      using(async (under, intake) => {
        const to = { number: 1_999_999, offset: 4_294_967_295 };
        await intake.begin(place(0), keys);
        await intake.commit(to);
        await intake[Symbol.asyncDispose]();
        await using again = await under.open();
        expect(await again.preparedTo()).toEqual(to);
      }),
    );
    it(
      "must have been prepared when the store has loaded them",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        await intake.commit(place(10));
        await expect(intake.rewind(place(11))).rejects.toThrow(IntakeBehindError);
      }),
    );
  });
}
