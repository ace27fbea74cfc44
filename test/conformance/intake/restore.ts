import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../thorough.ts";
import { keysOf, place, type Using } from "./store.ts";

const keys = keysOf(["1", "2", "3", "4", "5", "a", "b", "v", "somebody new"]);

/** The users of a store that loads what an intake returned. */
interface Reported {
  readonly users: Map<number, { account?: string; visitors: Set<string> }>;
}

export function describeRestore(using: Using): void {
  describe("rebuilt intake", () => {
    const id = fc.option(fc.constantFrom("1", "2", "3", "4", "5"), { nil: undefined });
    const pair = fc.tuple(id, id).filter((ids) => ids.some((one) => one !== undefined));

    it("resolves all ids to their previous users, and assigns no user id again", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(pair, { minLength: 1, maxLength: 30 }),
          fc.array(pair, { minLength: 1, maxLength: 30 }),
          async (before, after) => {
            const reported: Reported = { users: new Map() };
            let expected: number[] = [];
            let highest = 0;
            await using(async (_under, intake) => {
              await intake.begin(place(0), keys);
              for (const [account, visitor] of before) {
                const { userId, ownsVisitor } = intake.resolve(1, account, visitor);
                const user = reported.users.get(userId) ?? { visitors: new Set() };
                if (account !== undefined) user.account = account;
                if (visitor !== undefined && ownsVisitor) user.visitors.add(visitor);
                reported.users.set(userId, user);
                highest = Math.max(highest, userId);
              }
              expected = after.map(([a, v]) => intake.resolve(1, a, v).userId);
            })();
            await using(async (under, first) => {
              await first.begin(place(0), keys);
              for (const [userId, { account, visitors }] of reported.users) {
                const hasAccount = account !== undefined;
                first.restore(1, { userId, accountId: account, hasAccount });
                for (const distinctId of visitors) first.restore(1, { userId, distinctId, hasAccount });
              }
              await first.commit(place(10));
              await first[Symbol.asyncDispose]();
              const intake = await under.open();
              await intake.rewind(place(10));
              await intake.begin(place(10), keys);
              expect(after.map(([a, v]) => intake.resolve(1, a, v).userId)).toEqual(expected);
              expect(intake.resolve(1, "somebody new", undefined).userId).toBeGreaterThan(highest);
              await intake[Symbol.asyncDispose]();
            })();
          },
        ),
        { numRuns: casesOf(25) },
      );
    });
    it(
      "gives no id again of which only the number is known",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        intake.restore(1, { userId: 41, hasAccount: false });
        intake.restore(1, { userId: 7, accountId: "a", hasAccount: true });
        await intake.commit(place(10));
        await intake.rewind(place(10));
        await intake.begin(place(10), keys);
        expect(intake.resolve(1, "b", undefined)).toEqual({ userId: 42, isNew: true, ownsVisitor: false });
        expect(intake.resolve(1, "a", undefined)).toEqual({ userId: 7, isNew: false, ownsVisitor: false });
      }),
    );
    it(
      "resolves ids that it has restored in the same batch",
      using(async (_under, intake) => {
        await intake.begin(place(0), keys);
        intake.restore(1, { userId: 7, accountId: "a", hasAccount: true });
        intake.restore(1, { userId: 7, accountId: "2", hasAccount: true });
        intake.restore(1, { userId: 6, distinctId: "v", hasAccount: false });
        const users = () => [
          intake.resolve(1, "a", undefined).userId,
          intake.resolve(1, "b", "v").userId,
          intake.resolve(1, undefined, "v").userId,
          intake.resolve(1, "3", undefined).userId,
        ];
        expect(users()).toEqual([7, 6, 6, 8]);
        await intake.commit(place(10));
        await intake.begin(place(10), keys);
        expect(users()).toEqual([7, 6, 6, 8]);
      }),
    );
    it(
      "reports users again that a store has lost",
      using(async (under, intake) => {
        await intake.begin(place(0), keys);
        intake.resolve(1, "a", "v");
        await intake.commit(place(10));
        await intake.markUnreported(undefined);
        await intake[Symbol.asyncDispose]();
        const again = await under.open();
        await again.rewind(place(10));
        await again.begin(place(10), keys);
        expect(again.resolve(1, "a", "v")).toEqual({ userId: 1, isNew: true, ownsVisitor: true });
      }),
    );
  });
}
