import type { ServerResponse } from "node:http";
import { expect, it, vi } from "vitest";
import { systemClock } from "../../../../base/async/clock.ts";
import { answerOk, ended, openDelivery, openReceiver, openStore, pushIds, startTask } from "./world.ts";

it("what is under way ends, the rest is sent by the next", async () => {
  const held: (() => void)[] = [];
  await using receiver = await openReceiver((call, response, number) => {
    const answer = () => answerOk(call, response, number);
    held.push(answer);
    if (held.length > 2) answer();
  });
  await using store = await openStore();
  const first = openDelivery(store, { maxInFlight: 2 });
  first.start();
  const run = await startTask(
    store,
    { url: receiver.url, delivery: { batchSize: 1 } },
    { audience: pushIds(10) },
  );
  await vi.waitFor(() => expect(held).toHaveLength(2));
  const stopped = first.stop(10_000);
  for (const answer of held) answer();
  await stopped;
  expect(await store.statistics(run.runId)).toMatchObject({ settledBatches: 2, succeeded: 2 });
  await using second = openDelivery(store);
  second.start();
  expect(await ended(store, run)).toMatchObject({ succeeded: 10, retried: 0 });
  expect(new Set(receiver.calls.map(({ elements }) => elements[0].push_id))).toHaveProperty("size", 10);
  expect(receiver.calls).toHaveLength(10);
});

it("what hangs is broken off and sent again with the same bytes", async () => {
  const hanging: ServerResponse[] = [];
  await using receiver = await openReceiver((call, response, number) => {
    if (number > 1) answerOk(call, response, number);
    else hanging.push(response);
  });
  await using store = await openStore();
  const first = openDelivery(store);
  first.start();
  const settings = { timeoutSeconds: 0 };
  const run = await startTask(store, { url: receiver.url, delivery: settings }, { audience: pushIds(3) });
  await vi.waitFor(() => expect(hanging).toHaveLength(1));
  await first.stop(0);
  await using second = openDelivery(store);
  second.start();
  expect(await ended(store, run)).toMatchObject({ succeeded: 3, sent: 3, retried: 1 });
  expect(receiver.calls[1]?.text).toBe(receiver.calls[0]?.text);
});

it("a cancelled task sends nothing after the requests in flight", async () => {
  const held: (() => void)[] = [];
  await using receiver = await openReceiver((call, response, number) => {
    held.push(() => answerOk(call, response, number));
    if (number > 1) answerOk(call, response, number);
  });
  await using store = await openStore();
  let aheadMs = 0;
  const clock = { ...systemClock, monotonicMs: () => performance.now() + aheadMs };
  await using delivery = openDelivery(store, { maxInFlight: 1, clock });
  delivery.start();
  const run = await startTask(
    store,
    { url: receiver.url, delivery: { batchSize: 1 } },
    { audience: pushIds(200) },
  );
  await vi.waitFor(() => expect(held).toHaveLength(1));
  await store.cancelTask(run.taskId);
  aheadMs = 250;
  held[0]!();
  await vi.waitFor(async () => {
    const { batches, settledBatches } = (await store.statistics(run.runId))!;
    expect(settledBatches).toBe(batches);
  });
  const { succeeded, failed } = (await store.statistics(run.runId))!;
  expect([receiver.calls.length, succeeded]).toEqual([1, 1]);
  expect(failed).toEqual([{ reason: "cancelled", count: 199 }]);
});

it("a cancelled task doesn't wait for turns that others have", async () => {
  await using receiver = await openReceiver();
  await using store = await openStore();
  const channel = { url: receiver.url, delivery: { batchSize: 1, rateLimit: 1 } };
  const run = await startTask(store, channel, { audience: pushIds(100) });
  // For a minute the one request in a second is another replica's.
  const asked = { perSecond: 1, held: 0, wanted: 1, leaseMs: 60_000 };
  await store.shareRate({ channelId: run.channelId, ...asked });
  await using delivery = openDelivery(store, { maxInFlight: 4 });
  delivery.start();
  await vi.waitFor(async () => {
    const { items } = await store.batches(run.runId, {}, { limit: 100 });
    expect(items.filter(({ state }) => state === "in_flight").length).toBeGreaterThan(4);
  });
  await store.cancelTask(run.taskId);
  await vi.waitFor(
    async () =>
      expect(await store.statistics(run.runId)).toMatchObject({ batches: 100, settledBatches: 100 }),
    { timeout: 5_000 },
  );
  expect(await store.statistics(run.runId)).toMatchObject({
    sent: 0,
    retried: 0,
    segments: [],
    failed: [{ reason: "cancelled", count: 100 }],
  });
  expect(receiver.calls).toEqual([]);
});
