import { describe, expect, it } from "vitest";
import type { ElementOutcome } from "../../../store/inbox/inbox.ts";
import { batchOf, indexesOf } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

const lease = { target: "t", maxElements: 100, leaseMs: 1000 };

export function testAttempts(open: OpenWorld): void {
  describe("attempts", () => {
    it("count only begun calls when a lease ends unsettled", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b", "c", "d"]));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      expect(await world.inbox.begin([{ token, indexes: [3] }])).toEqual([true]);
      expect(await world.inbox.begin([{ token, indexes: [0, 1] }])).toEqual([true]);
      const listed = await world.inbox.deliveries({}, { limit: 10 });
      expect(listed.items.map(({ attempts }) => attempts)).toEqual([1, 1, 0, 1]);
      world.clock.ms += 1000;
      const { items } = await world.inbox.lease(lease);
      const found = items.map((item) => [item.attempt, item.isSuspect, ...indexesOf(item)]);
      expect(found.toSorted()).toEqual([
        [1, true, 2],
        [2, true, 0, 1, 3],
      ]);
      expect(await world.inbox.counts({ recount: true })).toMatchObject([{ pending: 4, dead: 0 }]);
    });

    it("are bounded for an element which ends its holder each time", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["poison", "b"]));
      const attempts: number[] = [];
      for (let death = 0; death < 4; death++) {
        const { items } = await world.inbox.lease(lease);
        const item = items.find((one) => indexesOf(one).includes(0))!;
        attempts.push(item.attempt);
        await world.inbox.begin([{ token: item.token, indexes: [0] }]);
        world.clock.ms += 1000;
      }
      expect(attempts).toEqual([1, 2, 3, 4]);
    });

    it("begin only under the present lease", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b"]));
      const lost = (await world.inbox.lease(lease)).items[0]!;
      world.clock.ms += 1000;
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      const calls = [lost.token, "no token", token].map((one) => ({ token: one, indexes: [0] }));
      expect(await world.inbox.begin(calls)).toEqual([false, false, true]);
      await world.inbox.settle(token, [
        { index: 0, kind: "done" },
        { index: 1, kind: "done" },
      ]);
      expect(await world.inbox.begin([{ token, indexes: [0] }])).toEqual([false]);
    });

    it("of an element that was begun and settled are counted once", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b", "c"]));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      await world.inbox.begin([{ token, indexes: [0, 1, 2] }]);
      const outcomes: ElementOutcome[] = [
        { index: 0, kind: "retry", notBeforeMs: 0, reason: "busy" },
        { index: 1, kind: "dead", reason: "no" },
        { index: 2, kind: "dead", reason: "given up", isUnsent: true },
      ];
      await world.inbox.settle(token, outcomes);
      expect((await world.inbox.lease(lease)).items).toMatchObject([{ attempt: 2, isSuspect: false }]);
      const letters = await world.inbox.deadLetters({}, { limit: 9 });
      expect(letters.items.map(({ index, attempts }) => [index, attempts])).toEqual([
        [2, 0],
        [1, 1],
      ]);
    });

    it("of a consumer begin with its lease", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      await world.inbox.lease({ ...lease, holder: "consumer" });
      world.clock.ms += 1000;
      expect((await world.inbox.lease(lease)).items).toMatchObject([{ attempt: 2 }]);
    });

    it("stay recorded across a restart", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      await world.inbox.begin([{ token, indexes: [0] }]);
      await world.reopen();
      world.clock.ms += 1000;
      expect((await world.inbox.lease(lease)).items).toMatchObject([{ attempt: 2, isSuspect: true }]);
    });
  });
}
