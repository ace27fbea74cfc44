import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AudienceMember, AudienceSource } from "../../../../services/channel/audience/source.ts";
import { prepareRun } from "../../../../services/channel/delivery/prepare.ts";
import { refuseField } from "../../../../services/channel/refusals.ts";
import type { ChannelStore } from "../../../../store/channels/channels.ts";
import { ended, noUsers, openDelivery, openStore, pushIds, startTask } from "./world.ts";

const { signal } = new AbortController();
const everybody = { source: { case: "users" as const, value: {} } };
const count = 12_000;

/** Users that are others each time, as if somebody joined and left in the meantime. */
function changingUsers(): AudienceSource {
  let time = 0;
  return {
    ...noUsers,
    async *users() {
      time++;
      const ids = Array.from({ length: count }, (_, i) => `${time}-${i}`);
      yield ids.map((pushId): AudienceMember => ({ pushId, properties: {} }));
    },
  };
}

/** A store whose method fails from a call on, as if the process ended there. */
function failingFrom(
  store: ChannelStore,
  method: "putAudience" | "appendBatches",
  call: number,
): ChannelStore {
  let calls = 0;
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      const bound = typeof value === "function" ? value.bind(target) : value;
      if (name !== method) return bound;
      return (...args: unknown[]) => (++calls >= call ? Promise.reject(new Error("killed")) : bound(...args));
    },
  });
}

async function pushIdsSent(store: ChannelStore): Promise<readonly string[]> {
  const { batches } = await store.leaseBatches({
    channelId: "c1",
    maxBatches: 1_000,
    leaseMs: 1_000,
    owner: "t",
  });
  return batches.flatMap(({ body }) =>
    (JSON.parse(Buffer.from(body).toString()) as { push_id: string }[]).map(({ push_id }) => push_id),
  );
}

describe("a preparation that is broken off", () => {
  const faults = [
    ["while the audience is read", "putAudience", 2, "2"],
    ["before the first batches", "appendBatches", 1, "2"],
    ["between batches", "appendBatches", 2, "1"],
    ["before the last batches", "appendBatches", 3, "1"],
  ] as const;
  it.each(faults)("%s is resumed with the same audience", async (_when, method, call, time) => {
    await using store = await openStore();
    const run = await startTask(store, { delivery: { batchSize: 100 } }, { audience: everybody });
    const audience = changingUsers();
    const options = { audience, newRequestId: randomUUID };
    const first = (await store.leasePreparation("one", 60_000))!;
    const broken = prepareRun(first, { ...options, store: failingFrom(store, method, call) }, signal);
    await expect(broken).rejects.toThrow("killed");
    await store.releasePreparation(first.token);
    const second = (await store.leasePreparation("two", 60_000))!;
    await prepareRun(second, { ...options, store }, signal);
    const kept = await store.run(run.runId);
    expect(kept).toMatchObject({ state: "sending", batches: count / 100 });
    expect(await store.statistics(run.runId)).toMatchObject({ planned: count, batched: count });
    const sent = await pushIdsSent(store);
    expect(sent).toEqual(Array.from({ length: count }, (_, i) => `${time}-${i}`));
  });

  it("goes on in the list of the task", async () => {
    await using store = await openStore();
    await startTask(store, {}, { audience: pushIds(count) });
    const options = { audience: noUsers, newRequestId: randomUUID };
    const first = (await store.leasePreparation("one", 60_000))!;
    const broken = prepareRun(first, { ...options, store: failingFrom(store, "appendBatches", 3) }, signal);
    await expect(broken).rejects.toThrow("killed");
    await store.releasePreparation(first.token);
    const second = (await store.leasePreparation("two", 60_000))!;
    expect(second.run).toMatchObject({ cursor: "2", batches: 100 });
    await prepareRun(second, { ...options, store }, signal);
    expect(await pushIdsSent(store)).toEqual(Array.from({ length: count }, (_, i) => `u${i}`));
  });
});

describe("an audience that can't be made", () => {
  it("fails the run and says why", async () => {
    await using store = await openStore();
    const audience: AudienceSource = {
      ...noUsers,
      // biome-ignore lint/correctness/useYield: it fails before it has anything
      async *users() {
        refuseField("audience.cohort.name", 'is "vips", there is no such cohort');
      },
    };
    await using delivery = openDelivery(store, { audience });
    delivery.start();
    const run = await startTask(store, {}, { audience: everybody });
    expect(await ended(store, run)).toMatchObject({ state: "failed", batches: 0 });
    expect((await store.task(run.taskId))?.failure).toBe(
      'audience.cohort.name is "vips", there is no such cohort',
    );
  });
});
