import { describe, expect, it } from "vitest";
import { batchOf, bodyOf, pushIdsOf as pushIdsIn, text } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

const lease = { target: "t", maxElements: 1000, leaseMs: 1000 };
/** Elements with few differences, as templates make them, and others with no repetitions. */
const sizes = { alike: 700, random: 300 } as const;
const pushIds = {
  alike: Array.from({ length: sizes.alike }, (_, at) => `user-${at}`),
  random: Array.from({ length: sizes.random }, () =>
    crypto.getRandomValues(Buffer.alloc(300)).toString("base64"),
  ),
};

export function testBodies(open: OpenWorld): void {
  describe("large bodies", () => {
    it.each(["alike", "random"] as const)("of elements that are %s come back as they came", async (kind) => {
      await using world = await open();
      const batch = batchOf(pushIds[kind], { requestId: "r" });
      const { batchId } = await world.inbox.accept(batch);
      expect((await world.inbox.batches({}, { limit: 1 })).items[0]?.bodyBytes).toBe(batch.body.length);
      expect(Buffer.compare((await world.inbox.batch(batchId))!.body!, batch.body)).toBe(0);
      const [item] = (await world.inbox.lease(lease)).items;
      const { elements } = bodyOf(pushIds[kind]);
      expect(item!.elements.map(({ json }) => text(json))).toEqual(
        elements.map(({ start, end }) => text(batch.body.subarray(start, end))),
      );
      const { deliveryId } = item!.elements.at(-1)!;
      const delivery = await world.inbox.delivery(deliveryId);
      expect(text(delivery!.json)).toBe(text(item!.elements.at(-1)!.json));
    });

    it("keep their size when they are completed later and replayed", async () => {
      await using world = await open();
      const { body } = batchOf(pushIds.alike);
      const { batchId } = await world.inbox.accept(batchOf(pushIds.alike, { reply: null }));
      await world.inbox.complete(batchId, { reply: Buffer.from("{}") });
      await world.inbox.accept(batchOf(["a"]));
      // A lease ends with the item that reaches its bytes.
      const leaseOne = async () => (await world.inbox.lease({ ...lease, maxBytes: body.length })).items;
      const [first, ...others] = await leaseOne();
      expect([first!.elements.length, others]).toEqual([sizes.alike, []]);
      expect(pushIdsIn(await leaseOne())).toEqual(["a"]);
      const outcomes = pushIds.alike.map((_, index) => ({ index, kind: "dead" as const, reason: "no" }));
      await world.inbox.settle(first!.token, outcomes);
      expect(await world.inbox.replay({ batchId }, { nonce: "n" })).toEqual({ count: sizes.alike });
      await world.inbox.accept(batchOf(["b"]));
      expect(pushIdsIn(await leaseOne())).toEqual(pushIds.alike);
      expect(pushIdsIn(await leaseOne())).toEqual(["b"]);
    });

    it.each([
      [
        "UPDATE {bodies} SET body = CAST('odd' AS {bytes})",
        "damaged: the stored body differs from its checksum",
      ],
      ["UPDATE {bodies} SET body_bytes = 5", "damaged: the stored body can't be decompressed"],
    ])("become dead letters after %s", async (change, reason) => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(pushIds.alike));
      await world.tamper(change.replace("'odd'", "CAST('odd' AS TEXT)"));
      expect((await world.inbox.lease(lease)).items).toEqual([]);
      const { items } = await world.inbox.deadLetters({ batchId }, { limit: 1 });
      expect(items).toMatchObject([{ reason }]);
      expect(await world.inbox.batch(batchId)).toMatchObject({ body: null, damage: reason });
    });
  });
}
