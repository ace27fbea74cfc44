import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Intake } from "../../../store/intake/intake.ts";
import { casesOf } from "../../thorough.ts";
import { keysOf, place, type Using } from "./store.ts";

interface Step {
  readonly record: { readonly "#account_id"?: string; readonly "#distinct_id"?: string };
  readonly expect_user_id: number;
}

const sequence = JSON.parse(
  readFileSync(new URL("../../testdata/cases/t005_identity_sequence.json", import.meta.url), "utf8"),
) as Step[];

/** Texts which are hard to store. */
const texts = ["", " ", "\u0000", "a\u0000b", "ä", "😀", "' OR 1=1 --", "x".repeat(5_000)];
const halves = ["a\ud800", "a\udfff", "a\ufffd"];
const idsOfSequence = sequence.flatMap(({ record }) => [record["#account_id"], record["#distinct_id"]]);
const keys = keysOf([
  ...idsOfSequence.filter((id) => id !== undefined),
  "a",
  "b",
  "v",
  "w",
  "1",
  "2",
  "3",
  "4",
  ...texts,
  ...halves,
]);

export function describeIdentity(using: Using): void {
  describe("identity", () => {
    const idsOf = (intake: Intake, steps: readonly Step[]) =>
      steps.map(({ record }) => intake.resolve(1, record["#account_id"], record["#distinct_id"]).userId);

    it(
      "gives the users of the acceptance sequence",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        expect(idsOf(intake, sequence)).toEqual(sequence.map((step) => step.expect_user_id));
      }),
    );
    it(
      "counts users of each project for itself",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        expect(intake.resolve(1, undefined, "a").userId).toBe(1);
        expect(intake.resolve(2, undefined, "b").userId).toBe(1);
        expect(intake.resolve(2, undefined, "a").userId).toBe(2);
      }),
    );
    it(
      "reports a user as new until it was reported, and again when one more id is the user's",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        const reported = (account: string | undefined, visitor: string | undefined) =>
          intake.resolve(1, account, visitor).isNew;
        expect([reported(undefined, "v"), reported(undefined, "v")]).toEqual([true, false]);
        expect([reported("a", "v"), reported("a", "v"), reported("a", undefined)]).toEqual([
          true,
          false,
          false,
        ]);
        expect([reported("a", "w"), reported(undefined, "w")]).toEqual([true, false]);
      }),
    );
    it(
      "tells a visitor as its own user's only",
      using(async (under, intake) => {
        const owns = (of: Intake, account: string | undefined, visitor: string | undefined) => {
          const { userId, isNew, ownsVisitor } = of.resolve(1, account, visitor);
          return [userId, isNew, ownsVisitor];
        };
        await intake.begin(place(0), keys);
        expect(owns(intake, undefined, "v")).toEqual([1, true, true]);
        expect(owns(intake, "a", "v")).toEqual([1, true, true]);
        expect(owns(intake, "b", "v")).toEqual([2, true, false]);
        expect(owns(intake, "b", "w")).toEqual([2, true, true]);
        await intake.commit(place(10));
        await intake[Symbol.asyncDispose]();
        const again = await under.open();
        await again.rewind(undefined);
        await again.begin(place(0), keys);
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
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        intake.resolve(1, "a", undefined);
        await intake.commit(place(10));
        await intake.begin(place(10), keys);
        intake.resolve(1, "b", undefined);
        await intake.commit(place(20));
        await intake.rewind(place(10));
        await intake.begin(place(10), keys);
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
      using(async (under, intake) => {
        await intake.begin(place(0), keys);
        for (const id of texts) intake.resolve(1, id, undefined);
        await intake.commit(place(1));
        await intake[Symbol.asyncDispose]();
        const again = await under.open();
        await again.rewind(place(1));
        await again.begin(place(1), keys);
        expect(texts.map((id) => again.resolve(1, id, undefined).userId)).toEqual(
          texts.map((_id, i) => i + 1),
        );
      }),
    );
    it(
      "takes halves of surrogate pairs for what they are kept as",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        expect(halves.map((id) => intake.resolve(1, id, undefined).userId)).toEqual([1, 1, 1]);
      }),
    );
    it("assigns each account a user of its own, the same whatever part of the records is prepared again", async () => {
      const id = fc.option(fc.constantFrom("1", "2", "3", "4"), { nil: undefined });
      const pair = fc.tuple(id, id).filter((ids) => ids.some((one) => one !== undefined));
      const record = fc.record({ pair, project: fc.constantFrom(1, 2) });
      await fc.assert(
        fc.asyncProperty(
          fc.array(record, { minLength: 1, maxLength: 40 }),
          fc.array(fc.nat(), { maxLength: 4 }),
          async (all, cuts) => {
            await using(async (under, first) => {
              let intake = first;
              const prepare = async (from: number) => {
                await intake.begin(place(from), keys);
                const ids = all
                  .slice(from)
                  .map(({ project, pair: [a, v] }) => intake.resolve(project, a, v).userId);
                await intake.commit(place(all.length));
                return ids;
              };
              const ids = await prepare(0);
              const ofAccounts = all.flatMap(({ project, pair: [account] }, i) =>
                account === undefined
                  ? []
                  : [{ account: `${project} ${account}`, user: `${project} ${ids[i]}` }],
              );
              const accounts = new Set(ofAccounts.map(({ account }) => account));
              expect(new Set(ofAccounts.map(({ user }) => user)).size).toBe(accounts.size);
              expect(new Set(ofAccounts.map((both) => JSON.stringify(both))).size).toBe(accounts.size);
              for (const cut of cuts.map((one) => one % all.length)) {
                await intake[Symbol.asyncDispose]();
                intake = await under.open();
                await intake.rewind(place(cut));
                expect(await prepare(cut)).toEqual(ids.slice(cut));
              }
              await intake[Symbol.asyncDispose]();
            })();
          },
        ),
        { numRuns: casesOf(15) },
      );
    });
  });
}
