import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Intake } from "../../../store/intake/intake.ts";
import { place, type Using } from "./store.ts";

interface Step {
  readonly record: { readonly "#account_id"?: string; readonly "#distinct_id"?: string };
  readonly expect_user_id: number;
}

const sequence = JSON.parse(
  readFileSync(new URL("../../testdata/cases/t005_identity_sequence.json", import.meta.url), "utf8"),
) as Step[];

export function describeIdentity(using: Using): void {
  describe("identity", () => {
    const idsOf = (intake: Intake, steps: readonly Step[]) =>
      steps.map(({ record }) => intake.resolve(1, record["#account_id"], record["#distinct_id"]).userId);

    it(
      "gives the users of the acceptance sequence",
      using((_under, intake) => {
        intake.begin(place(0));
        expect(idsOf(intake, sequence)).toEqual(sequence.map((step) => step.expect_user_id));
      }),
    );
    it(
      "counts users of each project for itself",
      using((_under, intake) => {
        intake.begin(place(0));
        expect(intake.resolve(1, undefined, "a").userId).toBe(1);
        expect(intake.resolve(2, undefined, "b").userId).toBe(1);
        expect(intake.resolve(2, undefined, "a").userId).toBe(2);
      }),
    );
    it(
      "tells a user as new until it was told, and again when one more id is the user's",
      using((_under, intake) => {
        intake.begin(place(0));
        const told = (account: string | undefined, visitor: string | undefined) =>
          intake.resolve(1, account, visitor).isNew;
        expect([told(undefined, "v"), told(undefined, "v")]).toEqual([true, false]);
        expect([told("a", "v"), told("a", "v"), told("a", undefined)]).toEqual([true, false, false]);
        expect([told("a", "w"), told(undefined, "w")]).toEqual([true, false]);
      }),
    );
    it(
      "tells a visitor as its own user's only",
      using((under, intake) => {
        const owns = (of: Intake, account: string | undefined, visitor: string | undefined) => {
          const { userId, isNew, ownsVisitor } = of.resolve(1, account, visitor);
          return [userId, isNew, ownsVisitor];
        };
        intake.begin(place(0));
        expect(owns(intake, undefined, "v")).toEqual([1, true, true]);
        expect(owns(intake, "a", "v")).toEqual([1, true, true]);
        expect(owns(intake, "b", "v")).toEqual([2, true, false]);
        expect(owns(intake, "b", "w")).toEqual([2, true, true]);
        intake.commit(place(10));
        intake[Symbol.dispose]();
        const again = under.open();
        again.rewind(undefined);
        again.begin(place(0));
        expect(owns(again, "b", "v")).toEqual([2, true, false]);
        expect(owns(again, "a", "w")).toEqual([1, true, false]);
        expect(owns(again, undefined, "v")).toEqual([1, true, true]);
        expect(owns(again, "b", "w")).toEqual([2, true, true]);
        expect(owns(again, "a", "v")).toEqual([1, false, true]);
        expect(owns(again, undefined, "w")).toEqual([2, false, true]);
      }),
    );
    it(
      "tells again what the store has not loaded",
      using((_under, intake) => {
        intake.begin(place(0));
        intake.resolve(1, "a", undefined);
        intake.commit(place(10));
        intake.begin(place(10));
        intake.resolve(1, "b", undefined);
        intake.commit(place(20));
        intake.rewind(place(10));
        intake.begin(place(10));
        expect(intake.resolve(1, "b", undefined)).toEqual({
          userId: 2,
          isNew: true,
          ownsVisitor: false,
        });
        expect(intake.resolve(1, "a", undefined)).toEqual({
          userId: 1,
          isNew: false,
          ownsVisitor: false,
        });
      }),
    );
    it(
      "knows ids of any text after it was opened again",
      using((under, intake) => {
        const ids = ["", " ", "\u0000", "a\u0000b", "ä", "😀", "' OR 1=1 --", "x".repeat(5_000)];
        intake.begin(place(0));
        for (const id of ids) intake.resolve(1, id, undefined);
        intake.commit(place(1));
        intake[Symbol.dispose]();
        const again = under.open();
        again.rewind(place(1));
        again.begin(place(1));
        expect(ids.map((id) => again.resolve(1, id, undefined).userId)).toEqual(ids.map((_id, i) => i + 1));
      }),
    );
    it(
      "takes halves of surrogate pairs for what they are kept as",
      using((_under, intake) => {
        intake.begin(place(0));
        const ids = ["a\ud800", "a\udfff", "a\ufffd"];
        expect(ids.map((id) => intake.resolve(1, id, undefined).userId)).toEqual([1, 1, 1]);
      }),
    );
    it("assigns the same users whatever part of the records is prepared again", () => {
      const id = fc.option(fc.constantFrom("1", "2", "3", "4"), { nil: undefined });
      const pair = fc.tuple(id, id).filter((ids) => ids.some((one) => one !== undefined));
      const record = fc.record({ pair, project: fc.constantFrom(1, 2) });
      fc.assert(
        fc.property(
          fc.array(record, { minLength: 1, maxLength: 40 }),
          fc.array(fc.nat(), { maxLength: 4 }),
          (all, cuts) => {
            using((under, first) => {
              let intake = first;
              const prepare = (from: number) => {
                intake.begin(place(from));
                const ids = all
                  .slice(from)
                  .map(({ project, pair: [a, v] }) => intake.resolve(project, a, v).userId);
                intake.commit(place(all.length));
                return ids;
              };
              const ids = prepare(0);
              for (const cut of cuts.map((one) => one % all.length)) {
                intake[Symbol.dispose]();
                intake = under.open();
                intake.rewind(place(cut));
                expect(prepare(cut)).toEqual(ids.slice(cut));
              }
              intake[Symbol.dispose]();
            })();
          },
        ),
        { numRuns: 15 },
      );
    });
  });
}
