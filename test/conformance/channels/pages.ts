import { expect, it } from "vitest";
import type { LeasedBatch } from "../../../store/channels/batches.ts";
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

/** Batches that may share a row. */
export function testPages(open: OpenWorld): void {
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
      const page = await world.store.batches(run.runId, {}, { limit, ...(after !== undefined && { after }) });
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
}
