import { describe, expect, it } from "vitest";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import { day, failed, leaseAll, type OpenWorld, preparedRun } from "./store.ts";

export async function pruneAll(store: ChannelStore): Promise<{ batches: number; runs: number }> {
  const sum = { batches: 0, runs: 0 };
  let more = true;
  while (more) {
    const pruned = await store.prune();
    sum.batches += pruned.batches;
    sum.runs += pruned.runs;
    more = pruned.more;
  }
  return sum;
}

export function testUpkeep(open: OpenWorld): void {
  describe("upkeep", () => {
    it("deletes batches of ended runs after the retention, and all but the latest run", async () => {
      await using world = await open(1_000);
      const { channelId, taskId, run } = await preparedRun(world.store, [["a"], ["b"]]);
      const leased = await leaseAll(world.store, channelId);
      await world.store.settleBatches(leased.map(({ token }) => ({ token, outcome: failed })));
      world.clock.ms += 1_000;
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      world.clock.ms += 1;
      expect(await pruneAll(world.store)).toEqual({ batches: 2, runs: 0 });
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      expect(await world.store.statistics(run.runId)).toMatchObject({ settledBatches: 2 });
      expect((await world.store.batches(run.runId, {}, { limit: 9 })).items).toEqual([]);
      await world.store.startRun(taskId, { day });
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 1 });
      expect(await world.store.run(run.runId)).toBeNull();
      expect(await world.store.statistics(run.runId)).toBeNull();
    });

    it("deletes nothing for a clock which is set forward for a while", async () => {
      await using world = await open(1_000);
      const { channelId } = await preparedRun(world.store, [["a"]]);
      const leased = await leaseAll(world.store, channelId);
      await world.store.settleBatches(leased.map(({ token }) => ({ token, outcome: failed })));
      world.clock.setMs = 90_000_000;
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      world.clock.ms += 500;
      world.clock.setMs = 0;
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      world.clock.ms += 501;
      expect(await pruneAll(world.store)).toEqual({ batches: 1, runs: 0 });
    });

    it("deletes nothing for a clock which stays set forward", async () => {
      const hourMs = 3_600_000;
      await using world = await open(10 * hourMs);
      const { channelId } = await preparedRun(world.store, [["a"]]);
      const leased = await leaseAll(world.store, channelId);
      await world.store.settleBatches(leased.map(({ token }) => ({ token, outcome: failed })));
      world.clock.setMs = 25 * hourMs;
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      world.clock.ms += 2 * hourMs;
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      world.clock.setMs = 0;
      world.clock.ms += 7 * hourMs;
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      world.clock.ms += 2 * hourMs;
      expect(await pruneAll(world.store)).toEqual({ batches: 1, runs: 0 });
    });

    it("keeps unfinished runs", async () => {
      await using world = await open(0);
      const { run } = await preparedRun(world.store, [["a"]]);
      world.clock.ms += 1_000_000;
      expect(await pruneAll(world.store)).toEqual({ batches: 0, runs: 0 });
      expect((await world.store.batches(run.runId, {}, { limit: 9 })).items).toHaveLength(1);
    });

    it("checks the store, and stops with its signal", async () => {
      await using world = await open();
      expect(await world.store.check()).toBeUndefined();
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(world.store.check({ signal })).rejects.toThrow("enough");
      await expect(world.store.task("t1", { signal })).rejects.toThrow("enough");
    });

    it("refuses calls when it is closed", async () => {
      await using world = await open();
      await world.store[Symbol.asyncDispose]();
      await expect(world.store.check()).rejects.toThrow("closed");
      await world.reopen();
    });
  });
}
