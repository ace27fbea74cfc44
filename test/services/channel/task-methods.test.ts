import type { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { type TaskSchema, TaskState } from "../../../gen/engage/channel/v1/task_pb.ts";
import { batchOf } from "../../conformance/channels/store.ts";
import { channelOf } from "./channels/sample-channel.ts";
import { openSender, type SenderRig } from "./sender-rig.ts";

type Init = Exclude<Parameters<typeof create<typeof TaskSchema>>[1], undefined>;

const content = { language: "default", values: { title: { value: { case: "text", value: "Hi" } } } } as const;
const pushIds = (...ids: string[]) => ({ source: { case: "pushIds", value: { pushIds: ids } } }) as const;

function taskOf(changes: Partial<Init> = {}): Init {
  return {
    name: "News",
    channelId: "c1",
    contents: [content],
    audience: pushIds("a", "b"),
    ...(changes as object),
  } as Init;
}

async function openWithChannel(): Promise<SenderRig> {
  const rig = await openSender();
  await rig.client.createChannel({ channel: channelOf() });
  return rig;
}

async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  return ConnectError.from(await call.then(() => undefined).catch((error: unknown) => error));
}

describe("tasks", () => {
  it("are made, run, watched and looked at", async () => {
    await using rig = await openWithChannel();
    const { task } = await rig.client.createTask({ task: taskOf() as never });
    expect(task).toMatchObject({ taskId: "t1", state: TaskState.DRAFT, name: "News", taskInstanceId: "" });
    expect(await rig.client.getTask({ taskId: "t1", withFunnel: true })).toMatchObject({ task, funnels: [] });
    const run = await rig.client.runTask({ taskId: "t1" });
    // The day in Berlin.
    expect(run.task).toMatchObject({ state: TaskState.PREPARING, taskInstanceId: "t1_2026-03-02" });
    const { token } = (await rig.store.leasePreparation("one", 1_000))!;
    await rig.store.appendBatches(token, {
      afterNumber: 0,
      batches: [batchOf(["a", "b"])],
      cursor: "b",
      isLast: true,
      resumeData: null,
      counted: { planned: 3, filtered: 1, control: 0 },
    });
    const progress = rig.client.watchTask({ taskId: "t1" })[Symbol.asyncIterator]();
    expect((await progress.next()).value?.progress).toMatchObject({
      taskId: "t1",
      taskInstanceId: "t1_2026-03-02",
      state: TaskState.SENDING,
      statistics: { planned: 3n, filtered: 1n, batched: 2n, batches: 1n, settledBatches: 0n },
    });
    const { batches } = await rig.store.leaseBatches({
      channelId: "c1",
      maxBatches: 1,
      leaseMs: 1_000,
      owner: "",
    });
    const failedItems = [{ index: 2, pushId: "b", message: "unknown" }];
    await rig.store.settleBatches([
      { token: batches[0]!.token, outcome: { kind: "succeeded", failedItems, warnings: 0, segments: [] } },
    ]);
    expect((await progress.next()).value?.progress).toMatchObject({
      state: TaskState.DONE,
      statistics: { succeeded: 1n, failed: [{ reason: "rejected", count: 1n }], settledBatches: 1n },
    });
    expect((await progress.next()).done).toBe(true);
    expect(await rig.client.getTask({ taskId: "t1", withFunnel: true })).toMatchObject({
      task: { state: TaskState.DONE },
      statistics: { sent: 2n, succeeded: 1n },
      funnels: [{ groupId: "Game mail t1_2026-03-02" }],
    });
    expect(await rig.client.listBatches({ taskId: "t1", onlyFailed: true })).toMatchObject({
      batches: [{ number: 0n, state: "succeeded", failedItems, attempts: 1, requestId: "request a" }],
      nextPageToken: "",
    });
  });

  it("with a schedule wait for it", async () => {
    await using rig = await openWithChannel();
    const { task } = await rig.client.createTask({
      task: taskOf({ schedule: { cron: "0 9 * * *" } as never }) as never,
    });
    expect(task).toMatchObject({ state: TaskState.SCHEDULED, schedule: { cron: "0 9 * * *" } });
    expect(task!.nextRunTime).toMatchObject({ seconds: BigInt(Date.parse("2026-03-02T08:00:00Z") / 1_000) });
    expect(rig.scheduled).toBe(1);
    expect((await rig.client.cancelTask({ taskId: "t1" })).task).toMatchObject({
      state: TaskState.CANCELLED,
    });
  });

  it("are listed newest first, of a channel", async () => {
    await using rig = await openWithChannel();
    await rig.client.createChannel({ channel: channelOf({ name: "other" }) });
    for (const channelId of ["c1", "c2", "c1"]) {
      await rig.client.createTask({ task: taskOf({ channelId }) as never });
    }
    const first = await rig.client.listTasks({ channelId: "c1", pageSize: 1 });
    expect(first.tasks.map(({ taskId }) => taskId)).toEqual(["t3"]);
    const second = await rig.client.listTasks({
      channelId: "c1",
      pageSize: 1,
      pageToken: first.nextPageToken,
    });
    expect([second.tasks.map(({ taskId }) => taskId), second.nextPageToken]).toEqual([["t1"], ""]);
  });

  it("that were never run are watched once", async () => {
    await using rig = await openWithChannel();
    await rig.client.createTask({ task: taskOf() as never });
    const seen: TaskState[] = [];
    for await (const { progress } of rig.client.watchTask({ taskId: "t1" })) seen.push(progress!.state);
    expect(seen).toEqual([TaskState.DRAFT]);
  });

  it("are no longer watched when the server stops", async () => {
    await using rig = await openSender({ stopping: AbortSignal.abort() });
    await rig.client.createChannel({ channel: channelOf() });
    await rig.client.createTask({ task: taskOf() as never });
    await rig.client.runTask({ taskId: "t1" });
    const progress = rig.client.watchTask({ taskId: "t1" })[Symbol.asyncIterator]();
    expect((await progress.next()).value?.progress?.state).toBe(TaskState.PREPARING);
    expect((await failureOf(progress.next())).code).toBe(Code.Unavailable);
  });

  it("keep their channel from being deleted until they end", async () => {
    await using rig = await openWithChannel();
    await rig.client.createTask({ task: taskOf() as never });
    const failure = await failureOf(rig.client.deleteChannel({ channelId: "c1" }));
    expect([failure.code, failure.rawMessage]).toEqual([
      Code.FailedPrecondition,
      "channel c1 is used by task t1, which has not ended",
    ]);
    await rig.client.cancelTask({ taskId: "t1" });
    await rig.client.deleteChannel({ channelId: "c1" });
  });

  it("are not run when their contents no longer fit the channel", async () => {
    await using rig = await openWithChannel();
    await rig.client.createTask({ task: taskOf() as never });
    const channel = channelOf({ contentTemplate: [{ name: "title", inputMethod: InputMethod.NUMBER }] });
    await rig.client.updateChannel({ channelId: "c1", channel });
    const failure = await failureOf(rig.client.runTask({ taskId: "t1" }));
    expect([failure.code, failure.rawMessage]).toEqual([
      Code.FailedPrecondition,
      'task t1 no longer fits its channel: contents[0].values["title"] is "Hi", valid are numbers such as 10 or 2.5',
    ]);
    expect((await rig.client.getTask({ taskId: "t1" })).task).toMatchObject({ state: TaskState.DRAFT });
  });

  it.each<[Code, string, (client: SenderRig["client"]) => Promise<unknown>]>([
    [Code.InvalidArgument, "task is required", (client) => client.createTask({})],
    [Code.InvalidArgument, "task.channel_id is required", (client) => client.createTask({ task: {} })],
    [Code.NotFound, 'there is no channel "c9"', (client) => client.createTask({ task: { channelId: "c9" } })],
    [
      Code.InvalidArgument,
      'task.task_id is "t9", which the service assigns: it must be empty here; task.etag is "v1", which the service assigns: it must be empty here',
      (client) => client.createTask({ task: { ...taskOf(), taskId: "t9", etag: "v1" } as never }),
    ],
    [Code.NotFound, 'there is no task "t9"', (client) => client.runTask({ taskId: "t9" })],
    [Code.NotFound, 'there is no task "t9"', (client) => client.cancelTask({ taskId: "t9" })],
    [Code.NotFound, 'there is no task "t9"', (client) => client.getTask({ taskId: "t9" })],
    [Code.NotFound, 'there is no task "t9"', (client) => client.listBatches({ taskId: "t9" })],
    [
      Code.NotFound,
      'there is no task "t9"',
      (client) => client.watchTask({ taskId: "t9" })[Symbol.asyncIterator]().next(),
    ],
    [
      Code.FailedPrecondition,
      "run t1_2026-03-02 of task t1 has not ended",
      (client) => client.runTask({ taskId: "t1" }),
    ],
    [Code.FailedPrecondition, "task t2 is cancelled", (client) => client.runTask({ taskId: "t2" })],
    [
      Code.FailedPrecondition,
      "task t2 is cancelled and cannot be cancelled",
      (client) => client.cancelTask({ taskId: "t2" }),
    ],
  ])("answer %i, %s", async (code, message, call) => {
    await using rig = await openWithChannel();
    for (let i = 0; i < 2; i++) await rig.client.createTask({ task: taskOf() as never });
    await rig.client.runTask({ taskId: "t1" });
    await rig.client.cancelTask({ taskId: "t2" });
    const failure = await failureOf(call(rig.client));
    expect([failure.code, failure.rawMessage]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe("lists of tasks", () => {
  it("have those of some states, whatever their order", async () => {
    await using rig = await openWithChannel();
    for (let i = 0; i < 3; i++) await rig.client.createTask({ task: taskOf() as never });
    await rig.client.cancelTask({ taskId: "t2" });
    const idsOf = async (states: TaskState[]) =>
      (await rig.client.listTasks({ states })).tasks.map(({ taskId }) => taskId);
    expect(await idsOf([])).toEqual(["t3", "t2", "t1"]);
    expect(await idsOf([TaskState.CANCELLED])).toEqual(["t2"]);
    expect(await idsOf([TaskState.CANCELLED, TaskState.DRAFT, TaskState.DRAFT])).toEqual(["t3", "t2", "t1"]);
    expect(await idsOf([TaskState.SENDING])).toEqual([]);
    const { nextPageToken } = await rig.client.listTasks({ states: [TaskState.DRAFT], pageSize: 1 });
    const other = { states: [TaskState.CANCELLED], pageSize: 1, pageToken: nextPageToken };
    expect((await failureOf(rig.client.listTasks(other))).code).toBe(Code.InvalidArgument);
  });

  it("refuse what is no state", async () => {
    await using rig = await openWithChannel();
    const failure = await failureOf(
      rig.client.listTasks({ states: [TaskState.DONE, TaskState.UNSPECIFIED] }),
    );
    expect([failure.code, failure.rawMessage]).toEqual([
      Code.InvalidArgument,
      "states[1] is 0, valid are TASK_STATE_DRAFT, TASK_STATE_SCHEDULED, TASK_STATE_PREPARING, TASK_STATE_SENDING, TASK_STATE_DONE, TASK_STATE_CANCELLED, TASK_STATE_FAILED",
    ]);
  });
});

describe("tasks without their definitions", () => {
  it("have all that changes, and their names", async () => {
    await using rig = await openWithChannel();
    const schedule = { cron: "30 9 * * *" };
    await rig.client.createTask({ task: taskOf({ schedule }) as never });
    const { task: whole } = await rig.client.getTask({ taskId: "t1" });
    const { task } = await rig.client.getTask({ taskId: "t1", withoutDefinition: true });
    const { tasks } = await rig.client.listTasks({ withoutDefinition: true });
    const { contents, audience, schedule: times, ...rest } = whole!;
    expect([contents.length, audience?.source.case, times?.cron]).toEqual([1, "pushIds", "30 9 * * *"]);
    expect(task).toEqual({ ...rest, contents: [] });
    expect(tasks).toEqual([task]);
    expect(task?.nextRunTime).toEqual(whole?.nextRunTime);
  });
});

describe("a preview of a message", () => {
  const groups = [
    { groupId: "a", share: 50 },
    { groupId: "b", share: 50, contents: [content] },
  ];

  it("needs neither an audience nor a name", async () => {
    await using rig = await openWithChannel();
    const task = { channelId: "c1", contents: [content], experimentGroups: groups };
    const shown = await rig.client.previewMessage({ task, pushId: "ann", groupId: "b", language: "default" });
    expect(shown).toMatchObject({ message: '{"push_id":"ann"}', groupId: "b", language: "default" });
  });

  it.each([
    [{ pushId: "ann" }, Code.InvalidArgument, "task is required"],
    [{ task: {}, pushId: "ann" }, Code.InvalidArgument, "task.channel_id is required"],
    [{ task: { channelId: "c9" }, pushId: "ann" }, Code.NotFound, 'there is no channel "c9"'],
    [{ task: taskOf(), pushId: " " }, Code.InvalidArgument, "push_id is required"],
    [
      { task: taskOf(), pushId: "x".repeat(1_001) },
      Code.InvalidArgument,
      "push_id has 1001 characters, at most 1000",
    ],
    [
      { task: { channelId: "c1", contents: [] }, pushId: "ann" },
      Code.InvalidArgument,
      "task.contents has no content",
    ],
    [
      { task: taskOf(), pushId: "ann", groupId: "z" },
      Code.InvalidArgument,
      'group_id is "z", the task has none',
    ],
    [
      { task: taskOf({ experimentGroups: groups }), pushId: "ann", groupId: "z" },
      Code.InvalidArgument,
      'group_id is "z", valid are "a", "b"',
    ],
    [
      { task: taskOf(), pushId: "ann", language: "de" },
      Code.InvalidArgument,
      'language is "de", valid are "default"',
    ],
  ])("refuses %j", async (request, code, message) => {
    await using rig = await openWithChannel();
    const failure = await failureOf(rig.client.previewMessage(request as never));
    expect(failure.code).toBe(code);
    expect(failure.rawMessage).toContain(message);
  });
});
