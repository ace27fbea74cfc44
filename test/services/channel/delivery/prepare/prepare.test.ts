import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { refuseField } from "../../../../../base/rpc/invalid-fields.ts";
import { InputMethod } from "../../../../../gen/engage/channel/v1/channel_pb.ts";
import type { Task, TaskSchema } from "../../../../../gen/engage/channel/v1/task_pb.ts";
import type { AudienceMember, AudienceSource } from "../../../../../services/channel/audience/source.ts";
import { prepareRun } from "../../../../../services/channel/delivery/prepare/prepare.ts";
import type { ChannelStore } from "../../../../../store/channels/channels.ts";
import { contentOf } from "../../content/template.ts";
import { bodyOf } from "../body/body-of.ts";
import { ended, noUsers, openDelivery, openReceiver, openStore, pushIds, startTask } from "../world.ts";

type TaskInit = Exclude<MessageInitShape<typeof TaskSchema>, Task>;

const { signal } = new AbortController();
const everybody = { source: { case: "users" as const, value: {} } };
/** With batches of 10 these are three pages: of 2,000, 8,000 and the rest. */
const count = 11_000;

const memberOf = (pushId: string): AudienceMember => ({ pushId, properties: {} });
const userOf = (pushId: string): AudienceMember => ({
  pushId,
  userId: 2 ** 40 + Number(pushId.slice(1)),
  properties: {},
});

/**
 * At the second time the first hundred have left, and as many have joined. Each time five cannot get a message.
 * @param reads the members of each time
 */
function changingUsers(reads: readonly ((ids: readonly string[]) => AudienceMember[])[]): AudienceSource {
  let time = 0;
  return {
    ...noUsers,
    async *users() {
      const ids = Array.from({ length: count }, (_, i) => `u${100 * time + i}`);
      yield reads[time++]!(ids);
    },
  };
}

const byPushIds = (ids: readonly string[]) => [...ids, "", "", ...ids.slice(0, 3)].map(memberOf);
const byUsers = (ids: readonly string[]) => [...ids.map(userOf), ...["", "", "", " ", " "].map(userOf)];

/** A store whose method fails from a call on, as if the process ended there. */
function failingFrom(store: ChannelStore, method: "audience" | "appendBatches", call: number): ChannelStore {
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
  const request = { channelId: "c1", maxBatches: 1_000, leaseMs: 60_000, owner: "t" };
  const first = await store.leaseBatches(request);
  const rest = await store.leaseBatches(request);
  return [...first.batches, ...rest.batches].flatMap(({ readPayload }) =>
    (JSON.parse(bodyOf(readPayload())) as { push_id: string }[]).map(({ push_id }) => push_id),
  );
}

describe("a preparation that is broken off", () => {
  const users = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `u${from + i}`);
  const faults = [
    // Nobody of the first time had a batch yet.
    ["before the first batches", 1, users(100, count + 100)],
    ["between batches", 2, [...users(0, 2_000), ...users(2_000, count + 100)]],
    ["before the last batches", 3, [...users(0, 10_000), ...users(10_000, count + 100)]],
  ] as const;
  const keys = [
    ["push ids", [byPushIds, byPushIds]],
    ["users", [byUsers, byUsers]],
    ["users, after push ids of another version", [byPushIds, byUsers]],
  ] as const;
  const cases = keys.flatMap(([by, reads]) =>
    faults.map(([when, ...fault]) => [by, when, reads, ...fault] as const),
  );
  it.each(cases)("by %s, %s goes on with those who have none", async (_by, _when, reads, call, expected) => {
    await using store = await openStore();
    const run = await startTask(store, { delivery: { batchSize: 10 } }, { audience: everybody });
    const options = { audience: changingUsers(reads), newRequestId: randomUUID };
    const first = (await store.leasePreparation("one", 60_000))!;
    const broken = prepareRun(
      first,
      { ...options, store: failingFrom(store, "appendBatches", call) },
      signal,
    );
    await expect(broken).rejects.toThrow("killed");
    await store.releasePreparation(first.token, 0);
    const second = (await store.leasePreparation("two", 60_000))!;
    await prepareRun(second, { ...options, store }, signal);
    expect(await pushIdsSent(store)).toEqual(expected);
    expect(await store.run(run.runId)).toMatchObject({
      state: "sending",
      batches: expected.length / 10,
    });
    expect(await store.statistics(run.runId)).toMatchObject({
      planned: expected.length + 5,
      filtered: 5,
      control: 0,
      batched: expected.length,
    });
  });

  it("does not go on when what it was is gone", async () => {
    await using store = await openStore();
    await startTask(store, {}, { audience: everybody });
    const options = { audience: changingUsers([byUsers, byUsers]), newRequestId: randomUUID };
    const first = (await store.leasePreparation("one", 60_000))!;
    const broken = prepareRun(first, { ...options, store: failingFrom(store, "appendBatches", 2) }, signal);
    await expect(broken).rejects.toThrow("killed");
    await store.releasePreparation(first.token, 0);
    const second = (await store.leasePreparation("two", 60_000))!;
    const resumed = prepareRun(second, { ...options, store: failingFrom(store, "audience", 1) }, signal);
    await expect(resumed).rejects.toThrow("killed");
  });

  it("counts a control again that was counted before", async () => {
    await using store = await openStore();
    const experimentGroups = [{ groupId: "A", share: 50 }];
    const run = await startTask(store, {}, { audience: everybody, experimentGroups });
    const ids = Array.from({ length: count }, (_, i) => `u${i}`);
    const audience: AudienceSource = {
      ...noUsers,
      async *users() {
        yield ids.map((pushId): AudienceMember => ({ pushId, properties: {} }));
      },
    };
    const options = { audience, newRequestId: randomUUID };
    const first = (await store.leasePreparation("one", 60_000))!;
    const broken = prepareRun(first, { ...options, store: failingFrom(store, "appendBatches", 2) }, signal);
    await expect(broken).rejects.toThrow("killed");
    await store.releasePreparation(first.token, 0);
    const second = (await store.leasePreparation("two", 60_000))!;
    await prepareRun(second, { ...options, store }, signal);
    const { planned, filtered, control, batched } = (await store.statistics(run.runId))!;
    expect([planned, filtered, control + batched]).toEqual([count, 0, count]);
    expect(control / count).toBeCloseTo(0.5, 1);
  });

  it("goes on in the list of the task", async () => {
    await using store = await openStore();
    await startTask(store, {}, { audience: pushIds(count) });
    const options = { audience: noUsers, newRequestId: randomUUID };
    const first = (await store.leasePreparation("one", 60_000))!;
    const broken = prepareRun(first, { ...options, store: failingFrom(store, "appendBatches", 3) }, signal);
    await expect(broken).rejects.toThrow("killed");
    await store.releasePreparation(first.token, 0);
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

describe("contents that don't fit the channel, which was changed since", () => {
  const must = [{ name: "must", inputMethod: InputMethod.TEXT, required: true }];
  const given = contentOf({ must: "x" });
  it.each<[string, Pick<TaskInit, "contents" | "experimentGroups">]>([
    ['contents[0].values["must"] is required', { contents: [contentOf({})] }],
    [
      'contents[1].values["old"] is not a field of the channel, valid are "must"',
      { contents: [given, contentOf({ must: "x", old: "y" }, {}, "en")] },
    ],
    [
      'experiment_groups[1].contents[0].values["must"] is required',
      {
        contents: [given],
        experimentGroups: [
          { groupId: "a", share: 50 },
          { groupId: "b", share: 50, contents: [contentOf({})] },
        ],
      },
    ],
  ])("fail the run: %s", async (failure, task) => {
    await using store = await openStore();
    await using delivery = openDelivery(store);
    delivery.start();
    const run = await startTask(store, { contentTemplate: must }, { audience: pushIds(1), ...task });
    expect(await ended(store, run)).toMatchObject({ state: "failed", batches: 0 });
    expect(await store.task(run.taskId)).toMatchObject({ state: "failed", failure });
  });
});

it("holds few messages of long contents at a time", async () => {
  await using store = await openStore();
  const contentTemplate = [{ name: "html", inputMethod: InputMethod.TEXT }];
  const contents = [contentOf({ html: "x".repeat(20_000) })];
  const run = await startTask(store, { contentTemplate }, { audience: everybody, contents });
  const audience: AudienceSource = {
    ...noUsers,
    async *users() {
      yield Array.from({ length: 1_000 }, (_, i): AudienceMember => ({ pushId: `u${i}`, properties: {} }));
    },
  };
  const held = (await store.leasePreparation("one", 60_000))!;
  await prepareRun(held, { audience, newRequestId: randomUUID, store }, signal);
  // Pages of 400 messages, in batches of 100.
  expect(await store.run(run.runId)).toMatchObject({ batches: 10, cursor: "3" });
});

describe("preparations of several runs", () => {
  const audienceOf = (ids: AsyncIterable<readonly AudienceMember[]>): AudienceSource => ({
    ...noUsers,
    users: () => ids,
  });

  it("go on at the same time: one that takes long holds up no other", async () => {
    await using store = await openStore();
    await using receiver = await openReceiver();
    const more = Promise.withResolvers<void>();
    async function* slowly() {
      yield [{ pushId: "first", properties: {} }];
      await more.promise;
      yield [{ pushId: "last", properties: {} }];
    }
    await using delivery = openDelivery(store, { audience: audienceOf(slowly()) });
    delivery.start();
    const channel = { url: receiver.url, delivery: { batchSize: 1 } };
    const slow = await startTask(store, channel, { audience: everybody });
    const quick = await startTask(store, channel, { audience: pushIds(3) });
    expect(await ended(store, quick)).toMatchObject({ state: "done", succeeded: 3 });
    expect(await store.run(slow.runId)).toMatchObject({ state: "preparing" });
    more.resolve();
    expect(await ended(store, slow)).toMatchObject({ state: "done", succeeded: 2 });
  });

  it("send what is made while the audience is still read", async () => {
    await using store = await openStore();
    await using receiver = await openReceiver();
    const more = Promise.withResolvers<void>();
    async function* slowly() {
      yield Array.from({ length: 5_001 }, (_, i): AudienceMember => ({ pushId: `u${i}`, properties: {} }));
      await more.promise;
    }
    await using delivery = openDelivery(store, { audience: audienceOf(slowly()) });
    delivery.start();
    const channel = { url: receiver.url, delivery: { batchSize: 500 } };
    const run = await startTask(store, channel, { audience: everybody });
    await expect.poll(() => receiver.calls.length, { timeout: 20_000 }).toBe(10);
    more.resolve();
    expect(await ended(store, run)).toMatchObject({ state: "done", succeeded: 5_001, batches: 11 });
  });
});
