import { describe, expect, it } from "vitest";
import type { ElementOutcome } from "../../../store/inbox/inbox.ts";
import { batchOf, indexesOf } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

const lease = { target: "t", maxElements: 100, leaseMs: 1000 };

export function testSettle(open: OpenWorld): void {
  describe("settle", () => {
    it("treats each element by its outcome", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b", "c", "d", "e", "f"]));
      const { items } = await world.inbox.lease(lease);
      const laterMs = world.clock.ms + 500;
      const outcomes: ElementOutcome[] = [
        { index: 5, kind: "returned" },
        { index: 0, kind: "done" },
        { index: 1, kind: "retry", notBeforeMs: laterMs, reason: "busy" },
        { index: 2, kind: "dead", reason: "bad\0 text" },
        { index: 3, kind: "retry", notBeforeMs: laterMs, reason: "busy" },
        { index: 4, kind: "retry", notBeforeMs: laterMs + 1, reason: "away" },
      ];
      expect(await world.inbox.settle(items[0]!.token, outcomes)).toEqual({
        kind: "settled",
        remaining: 0,
        ignored: [],
      });
      expect(await world.inbox.counts({ recount: true })).toEqual([
        { channel: "c", target: "t", accepted: 6, delivered: 1, dead: 1, pending: 4 },
      ]);
      const now = await world.inbox.lease(lease);
      expect(now.items.map(indexesOf)).toEqual([[5]]);
      expect(now.items).toMatchObject([{ attempt: 1, lastReason: null }]);
      expect(await world.inbox.lease(lease)).toEqual({ items: [], nextDueAtMs: laterMs });
      world.clock.ms = laterMs + 1;
      const later = await world.inbox.lease(lease);
      expect(later.items.map(indexesOf)).toEqual([[1, 3], [4]]);
      expect(later.items).toMatchObject([
        { attempt: 2, lastReason: "busy" },
        { attempt: 2, lastReason: "away" },
      ]);
      const letters = await world.inbox.deadLetters({}, { limit: 10 });
      expect(letters.items).toMatchObject([
        { index: 2, pushId: "c", reason: "bad\u{FFFD} text", attempts: 1 },
      ]);
    });

    it("keeps elements without an outcome leased", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b", "c"]));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      expect(await world.inbox.settle(token, [{ index: 1, kind: "done" }])).toMatchObject({ remaining: 2 });
      expect(await world.inbox.settle(token, [{ index: 1, kind: "dead", reason: "no" }])).toEqual({
        kind: "settled",
        remaining: 2,
        ignored: [1],
      });
      const rest: ElementOutcome[] = [
        { index: 0, kind: "done" },
        { index: 0, kind: "dead", reason: "twice" },
        { index: 2, kind: "done" },
        { index: 9, kind: "done" },
      ];
      expect(await world.inbox.settle(token, rest)).toEqual({
        kind: "settled",
        remaining: 0,
        ignored: [0, 9],
      });
      expect(await world.inbox.settle(token, rest)).toEqual({ kind: "stale" });
      expect(await world.inbox.counts()).toMatchObject([{ delivered: 3, dead: 0, pending: 0 }]);
    });

    it("refuses a holder whose work was leased again", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b"]));
      const slow = (await world.inbox.lease(lease)).items[0]!;
      world.clock.ms += 1000;
      const fast = (await world.inbox.lease({ ...lease, maxElements: 1 })).items[0]!;
      const both: ElementOutcome[] = [
        { index: 0, kind: "done" },
        { index: 1, kind: "done" },
      ];
      expect(await world.inbox.settle(slow.token, both)).toEqual({ kind: "stale" });
      expect(await world.inbox.counts()).toMatchObject([{ delivered: 0, pending: 2 }]);
      expect(await world.inbox.settle(fast.token, both)).toEqual({
        kind: "settled",
        remaining: 0,
        ignored: [1],
      });
      expect(await world.inbox.settle("zz.zz", both)).toEqual({ kind: "stale" });
      expect(await world.inbox.settle("", both)).toEqual({ kind: "stale" });
    });

    it("accepts a late settlement when the work is not leased again", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      world.clock.ms += 60_000;
      expect(await world.inbox.settle(token, [{ index: 0, kind: "done" }])).toMatchObject({
        kind: "settled",
      });
      expect(await world.inbox.counts()).toMatchObject([{ delivered: 1, pending: 0 }]);
    });

    it("settles each target of a fan-out separately", async () => {
      await using world = await open();
      const routes = ["t", "u"].map((target) => ({ target, indexes: "all" as const }));
      await world.inbox.accept(batchOf(["a"], { routes }));
      const forT = (await world.inbox.lease(lease)).items[0]!;
      const forU = (await world.inbox.lease({ ...lease, target: "u" })).items[0]!;
      await world.inbox.settle(forT.token, [{ index: 0, kind: "done" }]);
      await world.inbox.settle(forU.token, [{ index: 0, kind: "dead", reason: "no" }]);
      expect(await world.inbox.counts()).toEqual([
        { channel: "c", target: "t", accepted: 1, delivered: 1, dead: 0, pending: 0 },
        { channel: "c", target: "u", accepted: 1, delivered: 0, dead: 1, pending: 0 },
      ]);
    });

    it("counts attempts up to the death of a poisoned element", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(Array.from({ length: 500 }, (_, i) => `p${i}`)));
      for (let attempt = 1; attempt <= 3; attempt++) {
        const { items } = await world.inbox.lease({ ...lease, maxElements: 500 });
        expect(items.map((item) => item.attempt)).toEqual([attempt]);
        const outcomes = indexesOf(items[0]!).map((index): ElementOutcome => {
          const bad: ElementOutcome[] = [
            { index, kind: "retry", notBeforeMs: 0, reason: "poison" },
            { index, kind: "retry", notBeforeMs: 0, reason: "poison" },
            { index, kind: "dead", reason: "poison" },
          ];
          return index === 250 ? bad[attempt - 1]! : { index, kind: "done" };
        });
        await world.inbox.settle(items[0]!.token, outcomes);
      }
      expect(await world.inbox.counts({ recount: true })).toMatchObject([
        { delivered: 499, dead: 1, pending: 0 },
      ]);
      expect((await world.inbox.deadLetters({}, { limit: 9 })).items).toMatchObject([
        { pushId: "p250", attempts: 3 },
      ]);
    });

    it("notifies about work which is due again", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b"]));
      const heard: string[] = [];
      using _listening = world.inbox.onWork((target) => heard.push(target));
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      await world.inbox.settle(token, [{ index: 0, kind: "done" }]);
      await world.inbox.settle(token, [{ index: 1, kind: "returned" }]);
      expect(heard).toEqual(["t"]);
    });
  });
}
