import { describe, expect, it } from "vitest";
import { PageCursorError } from "../../../store/channels/channels.ts";
import {
  failed,
  lease,
  leaseAll,
  type OpenWorld,
  preparedRun,
  retryAfter,
  succeeded,
  text,
} from "./store.ts";

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
      expect(text(first.batches[0]!.body)).toBe('[{"push_id":"a"},{"push_id":"b"}]');
      expect(first.nextDueInMs).toBe(0);
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

    it("come back with their bytes and their request id when they are retried", async () => {
      await using world = await open();
      const { channelId, run } = await preparedRun(world.store, [["a"]]);
      const [first] = await leaseAll(world.store, channelId);
      const atMs = world.clock.ms + 5_000;
      await world.store.settleBatches([{ token: first!.token, outcome: retryAfter(5_000) }]);
      expect(await world.store.busyChannels()).toEqual([{ channelId, dueInMs: 5_000 }]);
      world.clock.ms = atMs - 1;
      expect(await leaseAll(world.store, channelId)).toEqual([]);
      world.clock.ms = atMs;
      await world.reopen();
      const [second] = await leaseAll(world.store, channelId);
      expect(second).toMatchObject({ requestId: first!.requestId, attempts: 2, retries: 1 });
      expect(text(second!.body)).toBe(text(first!.body));
      await world.store.settleBatches([{ token: second!.token, outcome: succeeded }]);
      expect(await world.store.statistics(run.runId)).toMatchObject({
        sent: 1,
        succeeded: 1,
        retried: 1,
        failed: [],
      });
      expect(await world.store.busyChannels()).toEqual([]);
      expect((await world.store.batches(run.runId, {}, { limit: 1 })).items).toMatchObject([
        { state: "succeeded", attempts: 2, lastFailure: "timeout" },
      ]);
    });

    it("have one attempt from when it begins, however often they are leased", async () => {
      await using world = await open();
      const { channelId, run } = await preparedRun(world.store, [["a"], ["b"], ["c"]]);
      const listed = async () =>
        (await world.store.batches(run.runId, {}, { limit: 9 })).items.map(({ attempts }) => attempts);
      // Holders that die: each begins the first batch, and one the second.
      for (const begun of [1, 2, 1, 1, 1, 1]) {
        const held = await leaseAll(world.store, channelId);
        expect(held).toHaveLength(3);
        const tokens = held.slice(0, begun).map(({ token }) => token);
        expect(await world.store.beginBatches([...tokens, "x.y", ...tokens])).toEqual(["x.y"]);
        world.clock.ms += 1_000;
      }
      const held = await leaseAll(world.store, channelId);
      expect(held.map(({ attempts, retries }) => [attempts, retries])).toEqual([
        [7, 0],
        [2, 0],
        [1, 0],
      ]);
      expect(await listed()).toEqual([6, 1, 0]);
      const tokens = held.map(({ token }) => token);
      expect(await world.store.beginBatches(tokens)).toEqual([]);
      expect(await listed()).toEqual([6, 1, 0]);
      await world.store.settleBatches(tokens.map((token) => ({ token, outcome: succeeded })));
      expect(await listed()).toEqual([7, 2, 1]);
      expect(await world.store.statistics(run.runId)).toMatchObject({ sent: 3, succeeded: 3, retried: 7 });
    });

    it("which were marked and not sent have no attempt", async () => {
      await using world = await open();
      const { channelId, run } = await preparedRun(world.store, [["a"]]);
      const [first] = await leaseAll(world.store, channelId);
      await world.store.beginBatches([first!.token]);
      await world.store.settleBatches([{ token: first!.token, outcome: { kind: "released" } }]);
      const [second] = await leaseAll(world.store, channelId);
      expect(second).toMatchObject({ attempts: 1 });
      await world.store.settleBatches([{ token: second!.token, outcome: succeeded }]);
      expect(await world.store.statistics(run.runId)).toMatchObject({ sent: 1, retried: 0 });
    });

    it("of a cancelled run count as sent when a process died while it sent them", async () => {
      await using world = await open();
      const { channelId, run, taskId } = await preparedRun(world.store, [["a", "b"], ["c"]]);
      for (const _kill of [1, 2]) {
        const [first] = await leaseAll(world.store, channelId);
        await world.store.beginBatches([first!.token]);
        world.clock.ms += 1_000;
      }
      const released = { kind: "released" } as const;
      const held = await leaseAll(world.store, channelId);
      await world.store.settleBatches(held.map(({ token }) => ({ token, outcome: released })));
      await world.store.cancelTask(taskId);
      expect(await world.store.statistics(run.runId)).toMatchObject({
        sent: 2,
        retried: 1,
        settledBatches: 2,
        failed: [{ reason: "cancelled", count: 3 }],
      });
    });

    it("that were not sent count as no attempt", async () => {
      await using world = await open();
      const { channelId, run } = await preparedRun(world.store, [["a"]]);
      const [first] = await leaseAll(world.store, channelId);
      const listed = async () => (await world.store.batches(run.runId, {}, { limit: 9 })).items;
      expect(await listed()).toMatchObject([{ state: "in_flight", attempts: 0 }]);
      await world.store.settleBatches([{ token: first!.token, outcome: { kind: "released" } }]);
      expect(await listed()).toMatchObject([{ state: "pending", attempts: 0 }]);
      expect(await world.store.statistics(run.runId)).toMatchObject({
        sent: 0,
        retried: 0,
        settledBatches: 0,
      });
      expect(await leaseAll(world.store, channelId)).toMatchObject([{ attempts: 1, retries: 0 }]);
    });

    it("are summed by reason, group and language, and end their run", async () => {
      await using world = await open();
      const { channelId, run, taskId } = await preparedRun(world.store, [["a", "b", "c"], ["d"], ["e", "f"]]);
      const [first, second, third] = await leaseAll(world.store, channelId);
      const failedItems = [{ index: 2, pushId: "b", message: "no such\0player" }];
      const segments = [
        { groupId: "x", language: "de", sent: 2, succeeded: 1 },
        { groupId: "", language: "en", sent: 1, succeeded: 1 },
      ];
      expect(
        await world.store.settleBatches([
          { token: third!.token, outcome: failed },
          { token: first!.token, outcome: { kind: "succeeded", failedItems, warnings: 2, segments } },
          { token: "nonsense", outcome: succeeded },
        ]),
      ).toEqual([
        { kind: "settled", state: "failed" },
        { kind: "settled", state: "succeeded" },
        { kind: "stale" },
      ]);
      expect(await world.store.task(taskId)).toMatchObject({ state: "sending" });
      await world.store.settleBatches([
        { token: second!.token, outcome: { ...succeeded, segments: [{ ...segments[0]!, sent: 1 }] } },
      ]);
      expect(await world.store.statistics(run.runId)).toEqual({
        planned: 6,
        filtered: 0,
        control: 0,
        batched: 6,
        batches: 3,
        settledBatches: 3,
        sent: 6,
        succeeded: 3,
        retried: 0,
        warnings: 2,
        failed: [
          { reason: "rejected", count: 1 },
          { reason: "timeout", count: 2 },
        ],
        segments: [
          { groupId: "", language: "en", sent: 1, succeeded: 1 },
          { groupId: "x", language: "de", sent: 3, succeeded: 2 },
        ],
      });
      expect(await world.store.task(taskId)).toMatchObject({ state: "done" });
      expect(await world.store.run(run.runId)).toMatchObject({ state: "done", endedAtMs: world.clock.ms });
      expect(await world.store.statistics("t9_x")).toBeNull();
      const items = [{ ...failedItems[0], message: "no such\ufffdplayer" }];
      expect((await world.store.batches(run.runId, { onlyFailed: true }, { limit: 9 })).items).toMatchObject([
        { number: 0, state: "succeeded", failedItems: items, lastFailure: "" },
        { number: 2, state: "failed", failedItems: [], lastFailure: "timeout: 60 s" },
      ]);
    });

    it("end their run when the last are settled at the same time", async () => {
      await using world = await open();
      const { channelId, taskId } = await preparedRun(
        world.store,
        Array.from({ length: 10 }, (_, i) => [`p${i}`]),
      );
      const leased = await leaseAll(world.store, channelId);
      await Promise.all(
        leased.map(({ token }) => world.store.settleBatches([{ token, outcome: succeeded }])),
      );
      expect(await world.store.busyChannels()).toEqual([]);
      expect(await world.store.task(taskId)).toMatchObject({ state: "done" });
    });

    it("of a cancelled run are settled by their holders, and not sent again", async () => {
      await using world = await open();
      const { channelId, run, taskId } = await preparedRun(world.store, [["a"], ["b"], ["c"], ["d"]]);
      const request = { ...lease, channelId, maxBatches: 3 };
      const [first, second, third] = (await world.store.leaseBatches(request)).batches;
      await world.store.cancelTask(taskId);
      expect(
        await world.store.settleBatches([
          { token: first!.token, outcome: succeeded },
          { token: second!.token, outcome: retryAfter(0) },
        ]),
      ).toEqual([
        { kind: "settled", state: "succeeded" },
        { kind: "settled", state: "failed" },
      ]);
      expect(await world.store.busyChannels()).toEqual([{ channelId, dueInMs: 1_000 }]);
      world.clock.ms = third!.untilMs;
      expect(await leaseAll(world.store, channelId)).toEqual([]);
      expect(await world.store.busyChannels()).toEqual([]);
      expect(await world.store.statistics(run.runId)).toMatchObject({
        sent: 2,
        succeeded: 1,
        settledBatches: 4,
        failed: [
          { reason: "cancelled", count: 2 },
          { reason: "timeout", count: 1 },
        ],
      });
    });

    it("of a cancelled run that were not sent are counted as failed only", async () => {
      await using world = await open();
      const { channelId, run, taskId } = await preparedRun(world.store, [["a", "b"], ["c"], ["d"]]);
      const [, second, third] = await leaseAll(world.store, channelId);
      await world.store.settleBatches([{ token: third!.token, outcome: retryAfter(0) }]);
      const [again] = await leaseAll(world.store, channelId);
      await world.store.cancelTask(taskId);
      const released = { kind: "released" } as const;
      expect(
        await world.store.settleBatches([second!, again!].map(({ token }) => ({ token, outcome: released }))),
      ).toEqual(Array.from({ length: 2 }, () => ({ kind: "settled", state: "failed" })));
      expect(await world.store.statistics(run.runId)).toMatchObject({
        sent: 1,
        succeeded: 0,
        retried: 0,
        settledBatches: 2,
        failed: [{ reason: "cancelled", count: 2 }],
      });
      expect((await world.store.batches(run.runId, {}, { limit: 9 })).items).toMatchObject([
        { number: 0, state: "in_flight", attempts: 0 },
        { number: 1, state: "failed", attempts: 0, lastFailure: "cancelled" },
        { number: 2, state: "failed", attempts: 1, lastFailure: "cancelled" },
      ]);
    });

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
