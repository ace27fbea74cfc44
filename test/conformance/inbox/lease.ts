import { describe, expect, it } from "vitest";
import type { Trace } from "../../../base/trace/trace.ts";
import { batchOf, indexesOf, pushIdsOf } from "./batches.ts";
import type { OpenWorld } from "./store.ts";

const lease = { target: "t", maxElements: 100, leaseMs: 1000 };

export function testLease(open: OpenWorld): void {
  describe("lease", () => {
    it("leases work to one caller, oldest first, and returns when more is due", async () => {
      await using world = await open();
      for (const id of ["a", "b", "c"]) {
        await world.inbox.accept(batchOf([id]));
        world.clock.ms += 1;
      }
      const first = await world.inbox.lease({ ...lease, maxElements: 2 });
      const second = await world.inbox.lease({ ...lease, maxElements: 2 });
      expect(pushIdsOf(first.items)).toEqual(["a", "b"]);
      expect(pushIdsOf(second.items)).toEqual(["c"]);
      expect(await world.inbox.lease(lease)).toEqual({ items: [], nextDueAtMs: world.clock.ms + 1000 });
      expect(await world.inbox.lease({ ...lease, target: "u" })).toEqual({ items: [], nextDueAtMs: null });
    });

    it("leases many small items in one call", async () => {
      await using world = await open();
      await Promise.all(Array.from({ length: 150 }, (_, i) => world.inbox.accept(batchOf([`p${i}`]))));
      const { items } = await world.inbox.lease(lease);
      expect(items).toHaveLength(100);
      expect((await world.inbox.lease(lease)).items).toHaveLength(50);
      expect(new Set(items.map(({ token }) => token)).size).toBe(100);
    });

    it.each([
      ["a batch that is accepted at once", {}],
      ["an ordered one", { routes: [{ target: "t", indexes: "all" as const, ordered: true }] }],
      ["one that is begun", { reply: null }],
    ])("returns the trace of %s, in each attempt", async (_kind, changes) => {
      await using world = await open();
      const trace: Trace = {
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        tracestate: "a=1",
      };
      const accepted = await world.inbox.accept({ ...batchOf(["a"]), ...changes, trace });
      await world.inbox.complete(accepted.batchId, { reply: new Uint8Array(1) });
      await world.inbox.accept(batchOf(["b"], { requestId: "without a trace" }));
      const traces = async (): Promise<unknown> => {
        const { items } = await world.inbox.lease(lease);
        return Object.fromEntries(items.map(({ elements, trace }) => [elements[0]!.pushId, trace] as const));
      };
      expect(await traces()).toEqual({ a: trace, b: undefined });
      world.clock.ms += lease.leaseMs;
      await world.reopen();
      expect(await traces()).toEqual({ a: trace, b: undefined });
    });

    it("splits items which are larger than requested", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b", "c", "d", "e"]));
      const taken: number[][] = [];
      for (let i = 0; i < 3; i++) {
        taken.push(...(await world.inbox.lease({ ...lease, maxElements: 2 })).items.map(indexesOf));
      }
      expect(taken).toEqual([[0, 1], [2, 3], [4]]);
    });

    it("stops at a number of bytes, but leases at least one item", async () => {
      await using world = await open();
      for (const id of ["a", "b", "c"]) await world.inbox.accept(batchOf([id]));
      const bytes = batchOf(["a"]).body.length;
      expect((await world.inbox.lease({ ...lease, maxBytes: bytes + 1 })).items).toHaveLength(2);
      expect((await world.inbox.lease({ ...lease, maxBytes: 1 })).items).toHaveLength(1);
    });

    it("leases work again to any caller when its lease has ended", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a", "b", "c"]));
      const first = await world.inbox.lease(lease);
      world.clock.ms += 999;
      expect((await world.inbox.lease(lease)).items).toEqual([]);
      world.clock.ms += 1;
      const second = await world.inbox.lease({ ...lease, maxElements: 2 });
      expect(second.items).toMatchObject([{ attempt: 1, lastReason: null, isSuspect: true }]);
      expect(second.items.map(indexesOf)).toEqual([[0, 1]]);
      expect(second.items[0]!.token).not.toBe(first.items[0]!.token);
    });

    it("keeps leases of consumers across a restart", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      const { items } = await world.inbox.lease({ ...lease, holder: "consumer" });
      await world.reopen();
      expect((await world.inbox.lease(lease)).items).toEqual([]);
      expect(await world.inbox.settle(items[0]!.token, [{ index: 0, kind: "done" }])).toMatchObject({
        kind: "settled",
      });
    });

    it("is extended only by its holder", async () => {
      await using world = await open();
      await world.inbox.accept(batchOf(["a"]));
      const first = (await world.inbox.lease(lease)).items[0]!;
      world.clock.ms += 900;
      expect(await world.inbox.extend(first.token, 5000)).toEqual({
        kind: "extended",
        untilMs: world.clock.ms + 5000,
      });
      world.clock.ms += 4999;
      expect((await world.inbox.lease(lease)).items).toEqual([]);
      world.clock.ms += 1;
      const second = (await world.inbox.lease(lease)).items[0]!;
      expect(await world.inbox.extend(first.token, 5000)).toEqual({ kind: "stale" });
      expect(await world.inbox.extend(second.token, 5000)).toMatchObject({ kind: "extended" });
      expect(await world.inbox.extend("not a token", 5000)).toEqual({ kind: "stale" });
    });

    it("never leases an element twice to concurrent callers", async () => {
      await using world = await open();
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => world.inbox.accept(batchOf([`${i}a`, `${i}b`]))),
      );
      const leases = await Promise.all(
        Array.from({ length: 40 }, () => world.inbox.lease({ ...lease, maxElements: 3 })),
      );
      const taken = pushIdsOf(leases.flatMap(({ items }) => items));
      expect(new Set(taken).size).toBe(taken.length);
      const rest = await world.inbox.lease(lease);
      expect([...taken, ...pushIdsOf(rest.items)].toSorted()).toEqual(
        Array.from({ length: 20 }, (_, i) => [`${i}a`, `${i}b`])
          .flat()
          .toSorted(),
      );
    });

    it.each([
      ["maxElements", { maxElements: 0 }],
      ["maxElements", { maxElements: 1.5 }],
      ["leaseMs", { leaseMs: 0 }],
      ["leaseMs", { leaseMs: 86_400_001 }],
      ["maxBytes", { maxBytes: -1 }],
    ])("refuses a bad %s", async (field, changes) => {
      await using world = await open();
      await expect(world.inbox.lease({ ...lease, ...changes })).rejects.toThrow(field);
    });
  });
}
