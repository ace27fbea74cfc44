import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Intake, IntakePlace } from "../../store/intake/intake.ts";
import { IntakeBehindError } from "../../store/intake/intake.ts";

export interface IntakeUnderTest extends Disposable {
  /** Opens it, or opens it again: what was not committed is gone. */
  open(): Intake;
}

export const windowMs = 10_000;

const place = (offset: number): IntakePlace => ({ number: 1, offset });

interface Step {
  readonly record: { readonly "#account_id"?: string; readonly "#distinct_id"?: string };
  readonly expect_user_id: number;
}

const sequence = JSON.parse(
  readFileSync(new URL("../testdata/cases/t005_identity_sequence.json", import.meta.url), "utf8"),
) as Step[];

/** Tests that every intake must pass. Its window of uuids is `windowMs`. */
export function describeIntake(start: () => IntakeUnderTest): void {
  const using = (work: (under: IntakeUnderTest, intake: Intake) => void) => () => {
    using under = start();
    const intake = under.open();
    intake.rewind(undefined);
    work(under, intake);
  };
  describeIdentity(using);
  describeRestore(using);
  describeClaims(using);
  describeBatches(using);
}

type Using = (work: (under: IntakeUnderTest, intake: Intake) => void) => () => void;

function describeIdentity(using: Using): void {
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

/** The users of a store that loads what an intake returned. */
interface Told {
  readonly users: Map<number, { account?: string; visitors: Set<string> }>;
}

function describeRestore(using: Using): void {
  describe("rebuilt intake", () => {
    const id = fc.option(fc.constantFrom("1", "2", "3", "4", "5"), { nil: undefined });
    const pair = fc.tuple(id, id).filter((ids) => ids.some((one) => one !== undefined));

    it("resolves all ids to their previous users, and assigns no user id again", () => {
      fc.assert(
        fc.property(
          fc.array(pair, { minLength: 1, maxLength: 30 }),
          fc.array(pair, { minLength: 1, maxLength: 30 }),
          (before, after) => {
            const told: Told = { users: new Map() };
            let expected: number[] = [];
            let highest = 0;
            using((_under, intake) => {
              intake.begin(place(0));
              for (const [account, visitor] of before) {
                const { userId, ownsVisitor } = intake.resolve(1, account, visitor);
                const user = told.users.get(userId) ?? { visitors: new Set() };
                if (account !== undefined) user.account = account;
                if (visitor !== undefined && ownsVisitor) user.visitors.add(visitor);
                told.users.set(userId, user);
                highest = Math.max(highest, userId);
              }
              expected = after.map(([a, v]) => intake.resolve(1, a, v).userId);
            })();
            using((under, first) => {
              first.begin(place(0));
              for (const [userId, { account, visitors }] of told.users) {
                const hasAccount = account !== undefined;
                first.restore(1, { userId, accountId: account, hasAccount });
                for (const distinctId of visitors) first.restore(1, { userId, distinctId, hasAccount });
              }
              first.commit(place(10));
              first[Symbol.dispose]();
              const intake = under.open();
              intake.rewind(place(10));
              intake.begin(place(10));
              expect(after.map(([a, v]) => intake.resolve(1, a, v).userId)).toEqual(expected);
              expect(intake.resolve(1, "somebody new", undefined).userId).toBeGreaterThan(highest);
              intake[Symbol.dispose]();
            })();
          },
        ),
        { numRuns: 25 },
      );
    });
    it(
      "gives no id again of which only the number is known",
      using((_under, intake) => {
        intake.begin(place(0));
        intake.restore(1, { userId: 41, hasAccount: false });
        intake.restore(1, { userId: 7, accountId: "a", hasAccount: true });
        intake.commit(place(10));
        intake.rewind(place(10));
        intake.begin(place(10));
        expect(intake.resolve(1, "b", undefined)).toEqual({ userId: 42, isNew: true, ownsVisitor: false });
        expect(intake.resolve(1, "a", undefined)).toEqual({ userId: 7, isNew: false, ownsVisitor: false });
      }),
    );
    it(
      "reports users again that a store has lost",
      using((under, intake) => {
        intake.begin(place(0));
        intake.resolve(1, "a", "v");
        intake.commit(place(10));
        intake.markUnreported(undefined);
        intake[Symbol.dispose]();
        const again = under.open();
        again.rewind(place(10));
        again.begin(place(10));
        expect(again.resolve(1, "a", "v")).toEqual({ userId: 1, isNew: true, ownsVisitor: true });
      }),
    );
  });
}

function describeClaims(using: Using): void {
  describe("uuids", () => {
    it(
      "are taken once within the window, by project",
      using((_under, intake) => {
        intake.begin(place(0));
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
      using((under, intake) => {
        intake.begin(place(0));
        for (let i = 0; i < 20_000; i++) expect(intake.claimUuid(1, `u-${i}`, 1_000_000 + i)).toBe(true);
        intake.commit(place(1));
        intake[Symbol.dispose]();
        const again = under.open();
        again.rewind(place(1));
        again.begin(place(1));
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
      using((under, intake) => {
        intake.begin(place(0));
        const claim = (of: Intake, project: number, event: string) =>
          of.claimFirstCheck(project, event, "device");
        expect([claim(intake, 1, "open"), claim(intake, 1, "open"), claim(intake, 1, "Open")]).toEqual([
          true,
          false,
          true,
        ]);
        expect(claim(intake, 2, "open")).toBe(true);
        intake.commit(place(1));
        intake[Symbol.dispose]();
        const again = under.open();
        again.rewind(place(1));
        again.begin(place(1));
        expect([claim(again, 1, "open"), claim(again, 2, "open"), claim(again, 3, "open")]).toEqual([
          false,
          false,
          true,
        ]);
      }),
    );
  });
}

function describeBatches(using: Using): void {
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
