import { describe, expect, it } from "vitest";
import { batchOf, pushIdsOf } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

const lease = { target: "t", maxElements: 100, leaseMs: 1000 };
const hourMs = 3_600_000;

export function testClocks(open: OpenWorld): void {
  describe.each([
    ["set back by an hour", -hourMs],
    ["put forward by an hour", hourMs],
    ["put forward by a month", 720 * hourMs],
  ])("a clock that is %s", (_name, setMs) => {
    it("ends no lease, and delays none", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      const { items } = await world.inbox.lease(lease);
      world.clock.setMs = setMs;
      expect(await world.inbox.lease(lease)).toEqual({
        items: [],
        nextDueAtMs: world.inbox.clockMs() + 1000,
      });
      expect(await world.inbox.extend(items[0]!.token, 1000)).toMatchObject({ kind: "extended" });
      world.clock.ms += 1000;
      expect(pushIdsOf((await world.inbox.lease(lease)).items)).toEqual(["a"]);
    });

    it("changes no age, and delays no new work and no retry", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      world.clock.setMs = setMs;
      world.clock.ms += 70;
      await world.inbox.accept(batchOf(["b"]));
      const { items } = await world.inbox.lease(lease);
      expect(items.map((item) => world.inbox.clockMs() - item.acceptedClockMs)).toEqual([70, 0]);
      expect(items[1]!.acceptedAtMs).toBe(world.clock.now());
      expect(await world.inbox.health()).toMatchObject({ oldestPendingMs: 70 });
      const notBeforeMs = world.inbox.clockMs() + 10;
      await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "retry", notBeforeMs, reason: "busy" }]);
      const { items: listed } = await world.inbox.deliveries({ state: "pending" }, { limit: 9 });
      expect(listed).toMatchObject([{ dueAtMs: world.clock.now() + 10 }]);
      world.clock.ms += 10;
      expect(pushIdsOf((await world.inbox.lease(lease)).items)).toEqual(["a"]);
    });

    it("forgets no request id, no dead letter and no batch", async () => {
      await using world = await open();
      const batch = batchOf(["a", "b"], { requestId: "r1" });
      await world.inbox.accept(batch);
      const { token } = (await world.inbox.lease(lease)).items[0]!;
      await world.inbox.settle(token, [
        { index: 0, kind: "done" },
        { index: 1, kind: "dead", reason: "no" },
      ]);
      world.clock.setMs = setMs;
      await world.inbox.prune();
      expect(await world.inbox.accept(batch)).toMatchObject({ kind: "duplicate" });
      expect((await world.inbox.deadLetters({}, { limit: 9 })).items).toHaveLength(1);
      expect((await world.inbox.deliveries({}, { limit: 9 })).items).toHaveLength(2);
    });
  });
}
