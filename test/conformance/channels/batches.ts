import { describe, expect, it } from "vitest";
import type { LeasedBatch } from "../../../store/channels/batches.ts";
import { PageCursorError } from "../../../store/channels/channels.ts";
import { testAttempts } from "./attempts.ts";
import { testSettlement } from "./settle.ts";
import {
  addTask,
  batchOf,
  beginRun,
  bytes,
  day,
  lease,
  leaseAll,
  noCounts,
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
      expect(text(first.batches[0]!.readPayload())).toBe('[{"push_id":"a"},{"push_id":"b"}]');
      expect(first.nextDueInMs).toBe(0);
      first.batches[0]!.freePayload(first.batches[0]!.readPayload());
      expect(text(first.batches[0]!.readPayload())).toBe('[{"push_id":"a"},{"push_id":"b"}]');
      const second = await world.store.leaseBatches({ ...lease, channelId });
      expect(second.batches.map(({ number }) => number)).toEqual([2]);
      expect(second.nextDueInMs).toBe(1_000);
      expect((await world.store.leaseBatches({ ...lease, channelId: "c9" })).batches).toEqual([]);
    });

    it("that were stored together are leased together, or in parts if more are not wanted", async () => {
      await using world = await open();
      const { channelId, preparation } = await beginRun(world.store);
      const append = { cursor: "", counted: noCounts, resumeData: null };
      const pages = [
        [["a"], ["b"], ["c"]],
        [["d"], ["e"], ["f", "g"]],
        [["h"], ["i"], ["j"]],
      ];
      for (const [i, lists] of pages.entries()) {
        const batches = lists.map(batchOf);
        const isLast = i === pages.length - 1;
        await world.store.appendBatches(preparation.token, {
          ...append,
          afterNumber: 3 * i,
          batches,
          isLast,
        });
        world.clock.ms++;
      }
      const leased = async (maxBatches: number, wholePages: boolean) => {
        const request = { ...lease, channelId, maxBatches, wholePages };
        const { batches, nextCount } = await world.store.leaseBatches(request);
        expect(batches.map(({ readPayload }) => text(readPayload()))).toEqual(
          batches.map(({ number }) => JSON.stringify(pages.flat()[number]!.map((push_id) => ({ push_id })))),
        );
        return [batches.map(({ number }) => number), nextCount];
      };
      expect(await leased(4, true)).toEqual([[0, 1, 2], 2]);
      expect(await leased(1, true)).toEqual([[3], 2]);
      expect(await leased(3, false)).toEqual([[4, 5, 6], 3]);
      expect(await leased(3, true)).toEqual([[7, 8], 3]);
    });

    it("that were stored together keep their own request ids, notes and payloads", async () => {
      await using world = await open();
      const { channelId, run, preparation } = await beginRun(world.store);
      // The payloads of a page have one buffer. One is compressed, so that those around it do not follow each other.
      const buffer = Buffer.concat([bytes("a"), new Uint8Array(20_000).fill(98), bytes("cd")]);
      const payloads = [buffer.subarray(0, 1), buffer.subarray(1, 20_001), buffer.subarray(20_001, 20_002)];
      const made = ["x", "x", "y", "x", ""].map((note, i) => ({
        ...batchOf([`${i}`]),
        note,
        ...(i < payloads.length && { payload: payloads[i]! }),
      }));
      const append = { afterNumber: 0, cursor: "", counted: noCounts, resumeData: null, isLast: true };
      await world.store.appendBatches(preparation.token, { ...append, batches: made });
      const expected = made.map(({ requestId, note, payload }) => [requestId, note, text(payload)]);
      const contents = (leased: readonly LeasedBatch[]) =>
        leased.map(({ requestId, note, readPayload }) => [requestId, note, text(readPayload())]);
      const held = await leaseAll(world.store, channelId);
      expect(contents(held)).toEqual(expected);
      const released = held.map(({ token }) => ({ token, outcome: { kind: "released" } as const }));
      await world.store.settleBatches(released.slice(1, 3));
      await world.store.settleBatches(released);
      const again = await leaseAll(world.store, channelId);
      expect(contents(again)).toEqual(expected);
      const segments = [{ groupId: "g", language: "de", sent: 1, succeeded: 1 }];
      const outcome = { ...succeeded, warnings: 1, segments };
      await world.store.settleBatches(again.map(({ token }) => ({ token, outcome })));
      expect(await world.store.statistics(run.runId)).toMatchObject({ settledBatches: 5, warnings: 5 });
    });

    it("with the same outcome are all counted, and at most 200 share a row", async () => {
      await using world = await open();
      const { channelId, run } = await preparedRun(
        world.store,
        Array.from({ length: 201 }, (_, i) => [`p${i}`]),
      );
      const request = { ...lease, channelId, maxBatches: 200, wholePages: true };
      const { batches, nextCount } = await world.store.leaseBatches(request);
      expect([batches.length, nextCount]).toEqual([200, 1]);
      const segments = [{ groupId: "g", language: "de", sent: 1, succeeded: 1 }];
      const outcome = { ...succeeded, warnings: 1, segments };
      await world.store.settleBatches(batches.map(({ token }) => ({ token, outcome })));
      expect(await world.store.statistics(run.runId)).toMatchObject({
        settledBatches: 200,
        warnings: 200,
        segments: [{ groupId: "g", language: "de", sent: 200, succeeded: 200 }],
      });
    });

    it("that were stored together all fail when their run is cancelled and their holder dies", async () => {
      await using world = await open();
      const { channelId, run, taskId } = await preparedRun(world.store, [["a"], ["b"], ["c"]]);
      const [first] = await leaseAll(world.store, channelId);
      await world.store.beginBatches([first!.token]);
      await world.store.cancelTask(taskId);
      world.clock.ms = first!.untilMs;
      const live = await addTask(world.store, channelId);
      await world.store.startRun(live.taskId, { day });
      const preparation = (await world.store.leasePreparation("one", 1_000))!;
      const append = { afterNumber: 0, cursor: "", counted: noCounts, resumeData: null, isLast: true };
      await world.store.appendBatches(preparation.token, { ...append, batches: [batchOf(["d"])] });
      // The batches of another run do not wait until these have failed.
      const leased = await leaseAll(world.store, channelId);
      expect(leased.map(({ runId }) => runId)).toEqual([preparation.run.runId]);
      const { items } = await world.store.batches(run.runId, { onlyFailed: true }, { limit: 9 });
      expect(items.map(({ attempts, lastFailure }) => [attempts, lastFailure])).toEqual([
        [1, "cancelled"],
        [0, "cancelled"],
        [0, "cancelled"],
      ]);
      expect(await world.store.statistics(run.runId)).toMatchObject({
        settledBatches: 3,
        sent: 1,
        failed: [{ reason: "cancelled", count: 3 }],
      });
    });

    it("are listed and counted alike, whether they were stored together or not", async () => {
      await using world = await open();
      const { channelId, run } = await preparedRun(world.store, [
        ["a"],
        ["b"],
        ["c"],
        ["d"],
        ["e"],
        ["f", "g"],
      ]);
      const [a, b, c, d] = (await world.store.leaseBatches({ ...lease, channelId, maxBatches: 9 })).batches;
      await world.store.beginBatches([a!.token, b!.token, c!.token]);
      const failedItems = [{ index: 1, pushId: "c", message: "no" }];
      await world.store.settleBatches([
        { token: a!.token, outcome: succeeded },
        { token: b!.token, outcome: retryAfter(500) },
        { token: c!.token, outcome: { ...succeeded, failedItems } },
        { token: d!.token, outcome: { kind: "released" } },
      ]);
      const settled = await world.store.settleBatches(
        [a, b, c, d].map((batch) => ({ token: batch!.token, outcome: succeeded })),
      );
      expect(settled).toEqual(Array.from({ length: 4 }, () => ({ kind: "stale" })));
      const listed = async (limit: number, after?: string) => {
        const page = await world.store.batches(
          run.runId,
          {},
          { limit, ...(after !== undefined && { after }) },
        );
        return page.items.map(({ requestId, size, state, attempts }) => [
          requestId.at(-1),
          size,
          state,
          attempts,
        ]);
      };
      const all = [
        ["a", 1, "succeeded", 1],
        ["b", 1, "pending", 1],
        ["c", 1, "succeeded", 1],
        ["d", 1, "pending", 0],
        ["e", 1, "in_flight", 0],
        ["f", 2, "in_flight", 0],
      ];
      expect(await listed(9)).toEqual(all);
      expect([...(await listed(2)), ...(await listed(2, "1")), ...(await listed(9, "3"))]).toEqual(all);
      expect((await leaseAll(world.store, channelId)).map(({ number }) => number)).toEqual([3]);
      world.clock.ms += 1_000;
      expect((await leaseAll(world.store, channelId)).map(({ number }) => number)).toEqual([1, 3, 4, 5]);
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
