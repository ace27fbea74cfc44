import { describe, expect, it } from "vitest";
import type { PruneResult } from "../../../store/inbox/inbox.ts";
import { batchOf } from "./batches.ts";
import type { OpenWorld, World } from "./store.ts";

const lease = { target: "t", maxElements: 1000, leaseMs: 1000 };
const retention = { claimMs: 1000, finishedMs: 2000, deadLetterMs: 3000 };
const nothing: PruneResult = { batches: 0, claims: 0, deadLetters: 0, more: false };

async function pruneAll(world: World): Promise<PruneResult> {
  const sum = { ...nothing };
  let more = true;
  while (more) {
    const result = await world.inbox.prune();
    sum.batches += result.batches;
    sum.claims += result.claims;
    sum.deadLetters += result.deadLetters;
    ({ more } = result);
  }
  return sum;
}

export function testPrune(open: OpenWorld): void {
  describe("prune", () => {
    it("deletes expired keys and finished batches, and keeps the counts", async () => {
      await using world = await open(retention);
      const { batchId } = await world.inbox.accept(batchOf(["a"], { requestId: "r1" }));
      const { items } = await world.inbox.lease(lease);
      world.clock.ms += 500;
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }]);
      world.clock.ms += 499;
      expect(await world.inbox.prune()).toEqual(nothing);
      world.clock.ms += 1;
      expect(await world.inbox.prune()).toEqual({ ...nothing, claims: 1 });
      world.clock.ms += 1500;
      expect(await world.inbox.prune()).toEqual(nothing);
      world.clock.ms += 1;
      expect(await world.inbox.prune()).toEqual({ ...nothing, batches: 1 });
      expect(await world.inbox.delivery(`${batchId}.0.t`)).toBeNull();
      expect(await world.inbox.counts({ recount: true })).toMatchObject([{ accepted: 1, delivered: 1 }]);
    });

    it("keeps what tells a repeated batch from another one, after it was deleted", async () => {
      await using world = await open({ ...retention, claimMs: 9000 });
      const batch = batchOf(["a"], { requestId: "r1" });
      const { batchId } = await world.inbox.accept(batch);
      const { items } = await world.inbox.lease(lease);
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }]);
      world.clock.ms += 2001;
      expect(await world.inbox.prune()).toEqual({ ...nothing, batches: 1 });
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "duplicate", batchId });
      expect(await world.inbox.accept(batchOf(["b"], { requestId: "r1" }))).toEqual({
        kind: "conflict",
        batchId,
      });
    });

    it("keeps batches with work, however old", async () => {
      await using world = await open(retention);
      await world.inbox.accept(batchOf(["a"], { requestId: "r1" }));
      world.clock.ms += 1_000_000;
      expect(await world.inbox.prune()).toEqual({ ...nothing, claims: 1 });
      expect((await world.inbox.lease(lease)).items).toHaveLength(1);
    });

    it("keeps batches with dead letters as long as these", async () => {
      await using world = await open(retention);
      await world.inbox.accept(batchOf(["a"]));
      const { items } = await world.inbox.lease(lease);
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "dead", reason: "no" }]);
      world.clock.ms += 3000;
      expect(await pruneAll(world)).toEqual(nothing);
      expect((await world.inbox.deadLetters({}, { limit: 10 })).items).toHaveLength(1);
      world.clock.ms += 1;
      const { deadLetters, batches } = await pruneAll(world);
      expect({ deadLetters, batches }).toEqual({ deadLetters: 1, batches: 1 });
      expect(await world.inbox.counts()).toMatchObject([{ accepted: 1, dead: 1, pending: 0 }]);
    });

    it("keeps a replayed batch until it has been finished again", async () => {
      await using world = await open(retention);
      await world.inbox.accept(batchOf(["a"]));
      const first = await world.inbox.lease(lease);
      await world.inbox.settle(first.items[0]!.token, [{ index: 0, kind: "dead", reason: "no" }]);
      await world.inbox.replay({}, { nonce: "n" });
      world.clock.ms += 10_000;
      expect(await pruneAll(world)).toEqual(nothing);
      const second = await world.inbox.lease(lease);
      await world.inbox.settle(second.items[0]!.token, [{ index: 0, kind: "done" }]);
      world.clock.ms += 2001;
      expect(await pruneAll(world)).toEqual({ ...nothing, batches: 1 });
    });

    it("deletes a batch of which each target has settled its part at its own time", async () => {
      await using world = await open(retention);
      const routes = ["t", "u"].map((target) => ({ target, indexes: "all" as const }));
      await world.inbox.accept(batchOf(["a"], { routes }));
      const work = await Promise.all(["t", "u"].map((target) => world.inbox.lease({ ...lease, target })));
      await Promise.all(
        work.map(({ items }) => world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }])),
      );
      world.clock.ms += 2001;
      expect(await pruneAll(world)).toEqual({ ...nothing, batches: 1 });
    });

    it("deletes begun and abandoned batches", async () => {
      await using world = await open(retention);
      const { batchId } = await world.inbox.accept(
        batchOf(["a"], { requestId: "r1", reply: null, ownerLeaseMs: 50 }),
      );
      world.clock.ms += 1000;
      expect(await world.inbox.prune()).toEqual({ ...nothing, claims: 1 });
      world.clock.ms += 51;
      expect(await world.inbox.prune()).toEqual({ ...nothing, batches: 1 });
      expect(await world.inbox.complete(batchId, { reply: Buffer.from("late") })).toEqual({ kind: "stale" });
    });

    it("does a bounded amount of work per call", async () => {
      await using world = await open(retention);
      await Promise.all(
        Array.from({ length: 450 }, (_, i) => world.inbox.accept(batchOf([], { requestId: `r${i}` }))),
      );
      world.clock.ms += 2001;
      const first = await world.inbox.prune();
      expect(first.more).toBe(true);
      expect(first.batches).toBeLessThan(450);
      const rest = await pruneAll(world);
      expect(first.batches + rest.batches).toBe(450);
      expect(first.claims + rest.claims).toBe(450);
    });
  });

  describe("health", () => {
    it("reports the age of the oldest batch with work", async () => {
      await using world = await open();
      expect(await world.inbox.health()).toMatchObject({
        writable: true,
        reason: null,
        oldestPendingMs: null,
      });
      await world.inbox.accept(batchOf(["a"]));
      world.clock.ms += 70;
      await world.inbox.accept(batchOf(["b"]));
      world.clock.ms += 5;
      const health = await world.inbox.health();
      expect(health).toMatchObject({ oldestPendingMs: 75, usedBytes: expect.any(Number) });
      const { items } = await world.inbox.lease({ ...lease, maxElements: 1 });
      expect(await world.inbox.health()).toMatchObject({ oldestPendingMs: 75 });
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }]);
      expect(await world.inbox.health()).toMatchObject({ oldestPendingMs: 5 });
    });

    it("reports that the inbox is closed, as every call does", async () => {
      await using world = await open();
      await world.inbox[Symbol.asyncDispose]();
      expect(await world.inbox.health()).toMatchObject({ writable: false, oldestPendingMs: null });
      await expect(world.inbox.accept(batchOf(["a"]))).rejects.toMatchObject({
        name: "InboxUnavailableError",
      });
    });
  });
}
