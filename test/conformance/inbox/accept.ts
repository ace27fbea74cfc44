import { describe, expect, it } from "vitest";
import { batchOf, indexesOf, text } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

export function testAccept(open: OpenWorld): void {
  describe("accept", () => {
    it("stores a batch and passes it on byte for byte", async () => {
      await using world = await open();
      const batch = batchOf(["a", "b\0c", 'q"\\', "🙂", "\ud800"], { requestId: "r1" });
      const accepted = await world.inbox.accept(batch);
      expect(accepted).toEqual({ kind: "stored", batchId: expect.stringMatching(/^[0-9a-z]{17}$/) });
      const { items } = await world.inbox.lease({ target: "t", maxElements: 10, leaseMs: 1000 });
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({
        batchId: accepted.batchId,
        channel: "c",
        requestId: "r1",
        target: "t",
        acceptedAtMs: world.clock.ms,
        attempt: 1,
        lastReason: null,
        replay: null,
        leaseUntilMs: world.clock.ms + 1000,
      });
      const elements = items[0]?.elements ?? [];
      expect(elements.map(({ pushId }) => pushId)).toEqual(["a", "b\0c", 'q"\\', "🙂", "\ud800"]);
      const ranges = batch.elements.map(({ start, end }) => text(batch.body.subarray(start, end)));
      expect(elements.map(({ json }) => text(json))).toEqual(ranges);
      expect(elements.map(({ receipt }) => text(receipt))).toEqual(
        batch.elements.map(({ receiptStart, receiptEnd }) =>
          text(batch.body.subarray(receiptStart, receiptEnd)),
        ),
      );
    });

    it("keeps every byte value of a body", async () => {
      await using world = await open();
      const body = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7 + (i >> 8)) % 256);
      const element = { index: 3, pushId: "p", start: 1, end: 69_999, receiptStart: 500, receiptEnd: 60_000 };
      await world.inbox.accept(batchOf([], { body, elements: [element] }));
      const { items } = await world.inbox.lease({ target: "t", maxElements: 1, leaseMs: 1000 });
      expect(Buffer.compare(items[0]!.elements[0]!.json, body.subarray(1, 69_999))).toBe(0);
      expect(Buffer.compare(items[0]!.elements[0]!.receipt, body.subarray(500, 60_000))).toBe(0);
    });

    it("returns the stored reply to a duplicate, also after a restart and after delivery", async () => {
      await using world = await open();
      const batch = batchOf(["a"], { requestId: "r1", reply: Buffer.from('{"return_code":0}\n\0') });
      const { batchId } = await world.inbox.accept(batch);
      const { items } = await world.inbox.lease({ target: "t", maxElements: 1, leaseMs: 1000 });
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }]);
      await world.reopen();
      const again = await world.inbox.accept({ ...batch, reply: Buffer.from("another") });
      expect(again).toMatchObject({ kind: "duplicate", batchId });
      expect(text((again as { reply: Uint8Array }).reply)).toBe('{"return_code":0}\n\0');
      expect(await world.inbox.lease({ target: "t", maxElements: 1, leaseMs: 1000 })).toEqual({
        items: [],
        nextDueAtMs: null,
      });
    });

    it("reports another body with the same key as a conflict, and changes nothing", async () => {
      await using world = await open();
      const { batchId } = await world.inbox.accept(batchOf(["a"], { requestId: "r1" }));
      expect(await world.inbox.accept(batchOf(["b"], { requestId: "r1" }))).toEqual({
        kind: "conflict",
        batchId,
      });
      expect(await world.inbox.counts()).toMatchObject([{ accepted: 1, pending: 1 }]);
    });

    it("forgets a key after its retention", async () => {
      await using world = await open({ claimMs: 1000 });
      const batch = batchOf(["a"], { requestId: "r1" });
      await world.inbox.accept(batch);
      world.clock.ms += 999;
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "duplicate" });
      world.clock.ms += 1;
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "stored" });
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "duplicate" });
      expect(await world.inbox.counts()).toMatchObject([{ accepted: 2, pending: 2 }]);
    });

    it("treats the same body as a duplicate only within a window, and only if configured", async () => {
      await using world = await open();
      const windowed = batchOf(["a"], { dedupeWindowMs: 500 });
      expect(await world.inbox.accept(windowed)).toMatchObject({ kind: "stored" });
      expect(await world.inbox.accept(windowed)).toMatchObject({ kind: "duplicate" });
      expect(await world.inbox.accept(batchOf(["b"], { dedupeWindowMs: 500 }))).toMatchObject({
        kind: "stored",
      });
      expect(await world.inbox.accept(batchOf(["a"]))).toMatchObject({ kind: "stored" });
      world.clock.ms += 500;
      expect(await world.inbox.accept(windowed)).toMatchObject({ kind: "stored" });
    });

    it("stores one of 500 concurrent batches and returns the same reply to all", async () => {
      await using world = await open();
      const results = await Promise.all(
        Array.from({ length: 500 }, (_, i) =>
          world.inbox.accept(batchOf(["a"], { requestId: "r1", reply: Buffer.from(`reply ${i}`) })),
        ),
      );
      const kinds = Map.groupBy(results, ({ kind }) => kind);
      expect(kinds.get("stored")).toHaveLength(1);
      expect(kinds.get("duplicate")).toHaveLength(499);
      const winner = results.findIndex(({ kind }) => kind === "stored");
      const replies = kinds.get("duplicate")!.map((result) => text((result as { reply: Uint8Array }).reply));
      expect(new Set(replies)).toEqual(new Set([`reply ${winner}`]));
      expect(await world.inbox.counts({ recount: true })).toMatchObject([{ accepted: 1, pending: 1 }]);
    });

    it("sends elements where their routes say", async () => {
      await using world = await open();
      const routes = [
        { target: "odd", indexes: [1, 3] },
        { target: "all", indexes: "all" as const },
        { target: "none", indexes: [] },
      ];
      await world.inbox.accept(batchOf(["a", "b", "c", "d", "e"], { routes }));
      const lease = async (target: string): Promise<number[][]> =>
        (await world.inbox.lease({ target, maxElements: 10, leaseMs: 1 })).items.map(indexesOf);
      expect(await lease("odd")).toEqual([[1, 3]]);
      expect(await lease("all")).toEqual([[0, 1, 2, 3, 4]]);
      expect(await lease("none")).toEqual([]);
    });

    it("stores a batch without elements for its reply", async () => {
      await using world = await open();
      const empty = batchOf([], { requestId: "r1" });
      expect(await world.inbox.accept(empty)).toMatchObject({ kind: "stored" });
      expect(await world.inbox.accept(empty)).toMatchObject({ kind: "duplicate" });
      expect(await world.inbox.health()).toMatchObject({ oldestPendingMs: null });
    });

    it("gives ids that sort by time of acceptance", async () => {
      await using world = await open();
      const ids: string[] = [];
      for (const step of [0, 0, 1, 35, 1296, 1e9]) {
        world.clock.ms += step;
        ids.push((await world.inbox.accept(batchOf(["a"]))).batchId);
      }
      expect(ids.toSorted()).toEqual(ids);
      expect(new Set(ids).size).toBe(6);
    });

    it("notifies at once which targets have work", async () => {
      await using world = await open();
      const heard: string[] = [];
      const listening = world.inbox.onWork((target) => heard.push(target));
      await world.inbox.accept(
        batchOf(["a"], { requestId: "r1", routes: [{ target: "t", indexes: "all" }] }),
      );
      await world.inbox.accept(
        batchOf(["a"], { requestId: "r1", routes: [{ target: "t", indexes: "all" }] }),
      );
      await world.inbox.accept(batchOf(["a"], { routes: [{ target: "u", indexes: [] }] }));
      listening[Symbol.dispose]();
      await world.inbox.accept(batchOf(["a"]));
      expect(heard).toEqual(["t"]);
    });

    it.each([
      ["elements that overlap", { elements: [element(0, 0, 5), element(1, 4, 6)] }],
      ["indexes that go back", { elements: [element(1, 0, 2), element(0, 2, 4)] }],
      ["an element outside of the body", { elements: [element(0, 0, 5_000)] }],
      ["a route to an element that isn't accepted", { routes: [{ target: "t", indexes: [1] }] }],
      ["a route that goes back", { routes: [{ target: "t", indexes: [0, 0] }] }],
      ["two routes to a target", { routes: [route("t"), route("t")] }],
      ["a route to nowhere", { routes: [route("")] }],
    ])("refuses %s", async (_name, changes) => {
      await using world = await open();
      await expect(world.inbox.accept(batchOf(["a"], changes))).rejects.toThrow(RangeError);
      expect(await world.inbox.counts()).toEqual([]);
    });

    it("stops on a signal", async () => {
      await using world = await open();
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(world.inbox.accept(batchOf(["a"]), { signal })).rejects.toThrow("enough");
      expect(await world.inbox.counts()).toEqual([]);
    });
  });
}

function element(index: number, start: number, end: number) {
  return { index, pushId: "p", start, end, receiptStart: start, receiptEnd: end };
}

function route(target: string) {
  return { target, indexes: "all" as const };
}
