import { describe, expect, it } from "vitest";
import { batchOf, indexesOf } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

export function testBegun(open: OpenWorld): void {
  describe("a batch begun without a reply", () => {
    it("is in flight for others until it is completed", async () => {
      await using world = await open();
      const begun = batchOf(["a", "b"], { requestId: "r1", reply: null });
      const { batchId } = await world.inbox.accept(begun);
      expect(await world.inbox.accept(begun)).toEqual({ kind: "in_flight", batchId });
      expect(await world.inbox.accept(batchOf(["x"], { requestId: "r1" }))).toEqual({
        kind: "conflict",
        batchId,
      });
      expect(await world.inbox.counts()).toEqual([]);
      expect((await world.inbox.lease({ target: "t", maxElements: 9, leaseMs: 1 })).items).toEqual([]);
      expect(await world.inbox.complete(batchId, { reply: Buffer.from("done") })).toEqual({
        kind: "finished",
      });
      expect(await world.inbox.accept(begun)).toMatchObject({ kind: "duplicate", batchId });
      expect(await world.inbox.counts()).toMatchObject([{ accepted: 2, pending: 2 }]);
      expect((await world.inbox.lease({ target: "t", maxElements: 9, leaseMs: 1 })).items).toHaveLength(1);
    });

    it("counts and keeps the results of its elements", async () => {
      await using world = await open();
      const routes = [
        { target: "t", indexes: "all" as const },
        { target: "u", indexes: [0] },
      ];
      const begun = batchOf(["a", "b", "c", "d", "e"], { requestId: "r1", reply: null, routes });
      const { batchId } = await world.inbox.accept(begun);
      const results = [{ target: "t", delivered: [0], pending: [3, 1], dead: [{ index: 4, reason: "no" }] }];
      await world.inbox.complete(batchId, { reply: Buffer.from("done"), results });
      expect(await world.inbox.counts({ recount: true })).toEqual([
        { channel: "c", target: "t", accepted: 4, delivered: 1, dead: 1, pending: 2 },
        { channel: "c", target: "u", accepted: 1, delivered: 0, dead: 0, pending: 1 },
      ]);
      const { items } = await world.inbox.lease({ target: "t", maxElements: 9, leaseMs: 1 });
      expect(items.map(indexesOf)).toEqual([[1, 3]]);
      const { items: deliveries } = await world.inbox.deliveries({ target: "t" }, { limit: 10 });
      expect(deliveries.map(({ index, state }) => `${index} ${state}`)).toEqual([
        "0 delivered",
        "1 leased",
        "3 leased",
        "4 dead",
      ]);
    });

    it.each([
      ["an element twice", [{ target: "t", delivered: [0], pending: [0], dead: [] }]],
      ["an element that isn't routed", [{ target: "t", delivered: [7], pending: [], dead: [] }]],
      ["an unknown target", [{ target: "x", delivered: [0], pending: [], dead: [] }]],
    ])("refuses results with %s", async (_name, results) => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"], { requestId: "r1", reply: null }));
      await expect(world.inbox.complete(batchId, { reply: Buffer.from("x"), results })).rejects.toThrow(
        RangeError,
      );
      expect(await world.inbox.release(batchId)).toEqual({ kind: "finished" });
    });

    it("releases its key", async () => {
      await using world = await open();
      const begun = batchOf(["a"], { requestId: "r1", reply: null });
      const { batchId } = await world.inbox.accept(begun);
      expect(await world.inbox.release(batchId)).toEqual({ kind: "finished" });
      expect(await world.inbox.release(batchId)).toEqual({ kind: "stale" });
      expect(await world.inbox.complete(batchId, { reply: Buffer.from("late") })).toEqual({ kind: "stale" });
      expect(await world.inbox.accept(batchOf(["b"], { requestId: "r1" }))).toMatchObject({ kind: "stored" });
      expect(await world.inbox.counts()).toMatchObject([{ accepted: 1 }]);
    });

    it("can be taken over when its owner's time is over, and is stale then", async () => {
      await using world = await open();
      const begun = batchOf(["a"], { requestId: "r1", reply: null, ownerLeaseMs: 100 });
      const first = await world.inbox.accept(begun);
      world.clock.ms += 99;
      expect(await world.inbox.accept(begun)).toMatchObject({ kind: "in_flight" });
      world.clock.ms += 1;
      const second = await world.inbox.accept(begun);
      expect(second.kind).toBe("stored");
      expect(await world.inbox.complete(first.batchId, { reply: Buffer.from("first") })).toEqual({
        kind: "stale",
      });
      world.clock.ms += 100;
      expect(await world.inbox.complete(second.batchId, { reply: Buffer.from("second") })).toEqual({
        kind: "finished",
      });
      expect(await world.inbox.accept(begun)).toMatchObject({ kind: "duplicate", batchId: second.batchId });
      expect(await world.inbox.counts({ recount: true })).toMatchObject([{ accepted: 1, pending: 1 }]);
    });

    it("needs no key", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"], { reply: null }));
      const results = [{ target: "t", delivered: [0], pending: [], dead: [] }];
      expect(await world.inbox.complete(batchId, { reply: Buffer.from("x"), results })).toEqual({
        kind: "finished",
      });
      expect(await world.inbox.counts()).toMatchObject([{ accepted: 1, delivered: 1, pending: 0 }]);
    });

    it("ends the wait of duplicates when its owner's time is over", async () => {
      await using world = await open();
      const begun = batchOf(["a"], { requestId: "r1", reply: null, ownerLeaseMs: 100 });
      const { batchId } = await world.inbox.accept(begun);
      expect(await world.inbox.awaitReply(batchId, 1)).toBeNull();
      world.clock.ms += 100;
      expect(await world.inbox.awaitReply(batchId, 20_000)).toBeNull();
    });
  });
}
