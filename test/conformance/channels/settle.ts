import { expect, it } from "vitest";
import { failed, lease, leaseAll, type OpenWorld, preparedRun, retryAfter, succeeded } from "./store.ts";

/** Tests of how the outcomes of batches are counted, for the suite of batches. */
export function testSettlement(open: OpenWorld): void {
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

  it("are settled together from several leases, each by its own outcome and once", async () => {
    await using world = await open();
    const { channelId, run } = await preparedRun(world.store, [["a"], ["b"], ["c"], ["d"], ["e"]]);
    const request = { ...lease, channelId, maxBatches: 2 };
    const leases = [await world.store.leaseBatches(request), await world.store.leaseBatches(request)];
    const [a, b, c, d] = leases.flatMap(({ batches }) => batches);
    const other = await preparedRun(world.store, [["f"]], "other");
    const [f] = await leaseAll(world.store, other.channelId);
    const tokens = [f, d, c, b, a].map((batch) => batch!.token);
    expect(await world.store.extendBatches(["nonsense", ...tokens], 5_000)).toEqual(["nonsense"]);
    expect(await world.store.beginBatches([...tokens, d!.token])).toEqual([]);
    const settled = await world.store.settleBatches([
      { token: f!.token, outcome: succeeded },
      { token: d!.token, outcome: retryAfter(1_000) },
      { token: d!.token, outcome: succeeded },
      { token: c!.token, outcome: succeeded },
      { token: b!.token, outcome: { kind: "released" } },
      { token: a!.token, outcome: succeeded },
    ]);
    expect(settled.map((one) => (one.kind === "settled" ? one.state : one.kind))).toEqual([
      "succeeded",
      "pending",
      "stale",
      "succeeded",
      "pending",
      "succeeded",
    ]);
    const { items } = await world.store.batches(run.runId, {}, { limit: 9 });
    expect(items.map(({ state, attempts }) => [state, attempts])).toEqual([
      ["succeeded", 1],
      ["pending", 0],
      ["succeeded", 1],
      ["pending", 1],
      ["pending", 0],
    ]);
    expect(await world.store.statistics(run.runId)).toMatchObject({
      settledBatches: 2,
      sent: 3,
      succeeded: 2,
    });
    expect(await world.store.run(other.run.runId)).toMatchObject({ state: "done" });
  });

  it("end their run when the last are settled at the same time", async () => {
    await using world = await open();
    const { channelId, taskId } = await preparedRun(
      world.store,
      Array.from({ length: 10 }, (_, i) => [`p${i}`]),
    );
    const leased = await leaseAll(world.store, channelId);
    await Promise.all(leased.map(({ token }) => world.store.settleBatches([{ token, outcome: succeeded }])));
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
}
