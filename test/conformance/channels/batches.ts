import { describe, expect, it } from "vitest";
import { PageCursorError } from "../../../store/channels/channels.ts";
import { testAttempts } from "./attempts.ts";
import { testPages } from "./pages.ts";
import { testSettlement } from "./settle.ts";
import { lease, leaseAll, type OpenWorld, preparedRun, retryAfter, succeeded, text } from "./store.ts";

export function testBatches(open: OpenWorld): void {
  describe("batches", () => {
    it("are leased with their exact bytes, in order, to one", async () => {
      await using world = await open();
      const { channelId, run } = await preparedRun(world.store, [["a", "b"], ["c"], ["d"]]);
      const first = await world.store.leaseBatches({ ...lease, channelId, maxBatches: 2 });
      expect(first.batches).toMatchObject([
        {
          runId: run.runId,
          number: 0,
          requestId: "request a",
          size: 2,
          note: "a note",
          attempts: 1,
          retries: 0,
        },
        { number: 1, untilMs: world.clock.ms + 1_000 },
      ]);
      expect(text(first.batches[0]!.readPayload())).toBe('[{"push_id":"a"},{"push_id":"b"}]');
      expect(first.nextDueInMs).toBe(0);
      first.batches[0]!.freePayload(first.batches[0]!.readPayload());
      expect(text(first.batches[0]!.readPayload())).toBe('[{"push_id":"a"},{"push_id":"b"}]');
      const second = await world.store.leaseBatches({ ...lease, channelId });
      expect(second.batches.map(({ number }) => number)).toEqual([2]);
      expect(second.nextDueInMs).toBe(1_000);
      expect((await world.store.leaseBatches({ ...lease, channelId: "c9" })).batches).toEqual([]);
    });

    it("are never leased twice by concurrent callers", async () => {
      await using world = await open();
      const lists = Array.from({ length: 60 }, (_, i) => [`p${i}`]);
      const { channelId } = await preparedRun(world.store, lists);
      const leases = await Promise.all(
        Array.from({ length: 30 }, () => world.store.leaseBatches({ ...lease, channelId, maxBatches: 3 })),
      );
      const numbers = leases.flatMap(({ batches }) => batches.map(({ number }) => number));
      expect(new Set(numbers).size).toBe(numbers.length);
    });

    it("are leased again when a lease has ended, with another token", async () => {
      await using world = await open();
      const { channelId } = await preparedRun(world.store, [["a"]]);
      const [first] = await leaseAll(world.store, channelId);
      expect(await world.store.beginBatches([first!.token])).toEqual([]);
      world.clock.ms += 999;
      expect(await leaseAll(world.store, channelId)).toEqual([]);
      expect(await world.store.extendBatches([first!.token, "x.y"], 1_000)).toEqual(["x.y"]);
      world.clock.ms += 999;
      expect(await leaseAll(world.store, channelId)).toEqual([]);
      world.clock.ms += 1;
      const [second] = await leaseAll(world.store, channelId);
      expect(second).toMatchObject({ number: 0, attempts: 2, retries: 0, requestId: "request a" });
      expect(await world.store.extendBatches([first!.token], 1_000)).toEqual([first!.token]);
      expect(await world.store.beginBatches([first!.token])).toEqual([first!.token]);
      expect(await world.store.settleBatches([{ token: first!.token, outcome: succeeded }])).toEqual([
        { kind: "stale" },
      ]);
      expect(await world.store.settleBatches([{ token: second!.token, outcome: succeeded }])).toEqual([
        { kind: "settled", state: "succeeded" },
      ]);
    });

    it.each([-3_600_000, 3_600_000])("stay with who has them when clocks are set by %d ms", async (setMs) => {
      await using world = await open();
      const { channelId, run } = await preparedRun(world.store, [["a"], ["b"]]);
      const request = { ...lease, channelId, maxBatches: 1 };
      const [first] = (await world.store.leaseBatches(request)).batches;
      world.clock.setMs = setMs;
      const [second, ...others] = await leaseAll(world.store, channelId);
      expect([first!.number, second!.number, others.length]).toEqual([0, 1, 0]);
      const tokens = [first!.token, second!.token];
      expect(await world.store.extendBatches(tokens, 1_000)).toEqual([]);
      await world.store.settleBatches([{ token: first!.token, outcome: retryAfter(500) }]);
      expect((await world.store.leaseBatches(request)).nextDueInMs).toBe(500);
      world.clock.ms += 500;
      const [again] = await leaseAll(world.store, channelId);
      await world.store.settleBatches(
        [again!.token, second!.token].map((token) => ({ token, outcome: succeeded })),
      );
      expect(await world.store.run(run.runId)).toMatchObject({ state: "done" });
    });
    testPages(open);
    testAttempts(open);
    testSettlement(open);

    it("are listed in pages", async () => {
      await using world = await open();
      const { run } = await preparedRun(world.store, [["a"], ["b"], ["c"]]);
      const first = await world.store.batches(run.runId, {}, { limit: 2 });
      expect(first.items.map(({ number, state }) => [number, state])).toEqual([
        [0, "pending"],
        [1, "pending"],
      ]);
      const second = await world.store.batches(run.runId, {}, { limit: 2, after: first.next! });
      expect([second.items.map(({ number }) => number), second.next]).toEqual([[2], null]);
      await expect(world.store.batches(run.runId, {}, { limit: 2, after: "b" })).rejects.toThrow(
        PageCursorError,
      );
    });

    it("make their channels busy, earliest first", async () => {
      await using world = await open();
      const late = await preparedRun(world.store, [["a"]], "late");
      await leaseAll(world.store, late.channelId);
      const early = await preparedRun(world.store, [["b"]], "early");
      expect(await world.store.busyChannels()).toEqual([
        { channelId: early.channelId, dueInMs: 0 },
        { channelId: late.channelId, dueInMs: 1_000 },
      ]);
    });

    it.each([
      ["maxBatches", { maxBatches: 0 }],
      ["maxBatches", { maxBatches: 1_001 }],
      ["leaseMs", { leaseMs: 0 }],
      ["leaseMs", { leaseMs: 86_400_001 }],
    ])("refuse a bad %s", async (field, changes) => {
      await using world = await open();
      await expect(world.store.leaseBatches({ ...lease, channelId: "c1", ...changes })).rejects.toThrow(
        field,
      );
    });
  });
}
