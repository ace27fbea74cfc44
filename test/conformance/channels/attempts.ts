import { expect, it } from "vitest";
import { leaseAll, type OpenWorld, preparedRun, retryAfter, succeeded, text } from "./store.ts";

/** Tests of how often batches are sent, for the suite of batches. */
export function testAttempts(open: OpenWorld): void {
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
    expect(text(second!.readPayload())).toBe(text(first!.readPayload()));
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
}
