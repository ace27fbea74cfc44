import { describe, expect, it } from "vitest";
import type { ElementOutcome } from "../../../store/inbox/inbox.ts";
import { batchOf, indexesOf, pushIdsOf } from "./batches.ts";
import type { OpenWorld, World } from "./store.ts";

const lease = { target: "t", maxElements: 100, leaseMs: 1000 };
const routes = [{ target: "t", indexes: "all" as const, ordered: true }];

export function testOrder(open: OpenWorld): void {
  const acceptInOrder = async (world: World, ...pushIds: string[]): Promise<void> => {
    await world.inbox.accept(batchOf(pushIds, { routes }));
    world.clock.ms += 1;
  };

  describe("order by push id", () => {
    it("delays an element until the previous one is settled", async () => {
      await using world = await open();
      await acceptInOrder(world, "a", "b", "a");
      await acceptInOrder(world, "b", "c");
      const first = await world.inbox.lease(lease);
      expect(first.items.map(indexesOf)).toEqual([[0, 1], [1]]);
      expect(pushIdsOf(first.items)).toEqual(["a", "b", "c"]);
      expect((await world.inbox.lease(lease)).items).toEqual([]);
      await world.inbox.settle(first.items[0]!.token, [{ index: 1, kind: "done" }]);
      expect(pushIdsOf((await world.inbox.lease(lease)).items)).toEqual(["b"]);
      await world.inbox.settle(first.items[0]!.token, [{ index: 0, kind: "dead", reason: "no" }]);
      const last = await world.inbox.lease(lease);
      expect(last.items.map(indexesOf)).toEqual([[2]]);
    });

    it("waits for a retry, and not for other push ids", async () => {
      await using world = await open();
      await acceptInOrder(world, "a");
      await acceptInOrder(world, "a", "b");
      const first = await world.inbox.lease(lease);
      expect(pushIdsOf(first.items)).toEqual(["a", "b"]);
      const dueMs = world.clock.ms + 5000;
      const again: ElementOutcome = { index: 0, kind: "retry", notBeforeMs: dueMs, reason: "busy" };
      await world.inbox.settle(first.items[0]!.token, [again]);
      expect(await world.inbox.lease(lease)).toMatchObject({ items: [] });
      world.clock.ms = dueMs;
      const second = await world.inbox.lease(lease);
      expect(second.items.map(({ attempt }) => attempt).toSorted()).toEqual([1, 2]);
      const batchIds = new Set(second.items.map((item) => item.batchId));
      expect(batchIds).toEqual(new Set(first.items.map((item) => item.batchId)));
      expect(pushIdsOf(second.items).toSorted()).toEqual(["a", "b"]);
    });

    it("delivers a long queue one by one", async () => {
      await using world = await open();
      for (let i = 0; i < 30; i++) await acceptInOrder(world, "a", `other${i}`);
      const taken: string[] = [];
      for (let i = 0; i < 30; i++) {
        const { items } = await world.inbox.lease(lease);
        const mine = items.filter((item) => pushIdsOf([item]).includes("a"));
        taken.push(...mine.map((item) => item.batchId));
        for (const item of items) {
          const done = indexesOf(item).map((index): ElementOutcome => ({ index, kind: "done" }));
          await world.inbox.settle(item.token, done);
        }
      }
      expect(taken).toHaveLength(30);
      expect(taken.toSorted()).toEqual(taken);
      expect(await world.inbox.counts({ recount: true })).toMatchObject([{ delivered: 60, pending: 0 }]);
    });

    it("never leases two elements of a push id to concurrent callers", async () => {
      await using world = await open();
      await Promise.all(Array.from({ length: 10 }, () => acceptInOrder(world, "a", "b")));
      for (let round = 0; round < 10; round++) {
        const leases = await Promise.all(Array.from({ length: 8 }, () => world.inbox.lease(lease)));
        const items = leases.flatMap((taken) => taken.items);
        expect(pushIdsOf(items).toSorted()).toEqual(["a", "b"]);
        await Promise.all(
          items.map((item) =>
            world.inbox.settle(
              item.token,
              indexesOf(item).map((index): ElementOutcome => ({ index, kind: "done" })),
            ),
          ),
        );
      }
      expect(await world.inbox.counts({ recount: true })).toMatchObject([{ delivered: 20, pending: 0 }]);
    });

    it("adds a replayed element after the waiting ones", async () => {
      await using world = await open();
      await acceptInOrder(world, "a");
      const dead = (await world.inbox.lease(lease)).items[0]!;
      await world.inbox.settle(dead.token, [{ index: 0, kind: "dead", reason: "no" }]);
      await acceptInOrder(world, "a");
      await world.inbox.replay({}, { nonce: "n1" });
      const newer = await world.inbox.lease(lease);
      expect(newer.items).toMatchObject([{ replay: null }]);
      await world.inbox.settle(newer.items[0]!.token, [{ index: 0, kind: "done" }]);
      expect((await world.inbox.lease(lease)).items).toMatchObject([{ replay: "n1", attempt: 1 }]);
    });

    it("keeps an element in flight first when an earlier one becomes visible", async () => {
      await using world = await open();
      await acceptInOrder(world, "a");
      const { items } = await world.inbox.lease({ ...lease, holder: "consumer" });
      await acceptInOrder(world, "a");
      await world.tamper("UPDATE {line} SET position = -position WHERE in_flight = 0");
      expect((await world.inbox.lease(lease)).items).toEqual([]);
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }]);
      expect(pushIdsOf((await world.inbox.lease(lease)).items)).toEqual(["a"]);
    });

    it("keeps the order of a batch completed later", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a", "a"], { routes, reply: null }));
      await acceptInOrder(world, "a");
      await world.inbox.complete(batchId, { reply: Buffer.from("x") });
      const order: string[] = [];
      for (let i = 0; i < 3; i++) {
        const [item, ...more] = (await world.inbox.lease(lease)).items;
        expect(more).toEqual([]);
        order.push(item!.batchId === batchId ? "begun" : "accepted");
        await world.inbox.settle(item!.token, [{ index: indexesOf(item!)[0]!, kind: "done" }]);
      }
      expect(order).toEqual(["accepted", "begun", "begun"]);
    });
  });
}
