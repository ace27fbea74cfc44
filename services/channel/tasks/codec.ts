import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Channel, ChannelSchema } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { type Task, TaskSchema, TaskState } from "../../../gen/engage/channel/v1/task_pb.ts";
import type { StoredChannel, StoredRun, StoredTask } from "../../../store/channels/channels.ts";
import { maskChannel } from "../channels/channel.ts";

/** The state of a task for each state in the store, including the states of runs. */
export const taskStates: Readonly<Record<StoredTask["state"], TaskState>> = {
  draft: TaskState.DRAFT,
  scheduled: TaskState.SCHEDULED,
  preparing: TaskState.PREPARING,
  sending: TaskState.SENDING,
  done: TaskState.DONE,
  cancelled: TaskState.CANCELLED,
  failed: TaskState.FAILED,
};

export function encodeChannel(channel: Channel): Uint8Array {
  return toBinary(ChannelSchema, channel);
}

/** Decodes a channel with its secrets, without id, etag and times. */
export function decodeChannel(stored: Pick<StoredChannel, "definition">): Channel {
  return fromBinary(ChannelSchema, stored.definition);
}

/** Decodes the channel as it was when a run began, with its secrets. */
export function decodeRunChannel({ channel, channelId }: StoredRun): Channel {
  return create(ChannelSchema, { ...fromBinary(ChannelSchema, channel), channelId });
}

/** Decodes a channel for responses, without its secrets. */
export function showChannel(stored: StoredChannel): Channel {
  return create(ChannelSchema, {
    ...maskChannel(decodeChannel(stored)),
    channelId: stored.channelId,
    etag: etagOf(stored.version),
    createTime: timestampFromMs(stored.createdAtMs),
    updateTime: timestampFromMs(stored.updatedAtMs),
  });
}

export function encodeTask(task: Task): Uint8Array {
  return toBinary(TaskSchema, task);
}

/** Decodes a task with its state. */
export function decodeTask(stored: StoredTask): Task {
  const { nextRunAtMs } = stored;
  return create(TaskSchema, {
    ...fromBinary(TaskSchema, stored.definition),
    taskId: stored.taskId,
    name: stored.name,
    channelId: stored.channelId,
    state: taskStates[stored.state],
    failure: stored.failure,
    etag: etagOf(stored.version),
    createTime: timestampFromMs(stored.createdAtMs),
    ...(nextRunAtMs !== null && { nextRunTime: timestampFromMs(nextRunAtMs) }),
    taskInstanceId: stored.runId ?? "",
  });
}

/** Removes what the caller of a task gave except its name and its channel. */
export function removeDefinition({ taskId, name, channelId, state, failure, ...task }: Task): Task {
  const { etag, createTime, nextRunTime, taskInstanceId } = task;
  return create(TaskSchema, {
    taskId,
    name,
    channelId,
    state,
    failure,
    etag,
    taskInstanceId,
    ...(createTime && { createTime }),
    ...(nextRunTime && { nextRunTime }),
  });
}

function etagOf(version: number): string {
  return `v${version}`;
}

/** Returns the version of an etag: undefined if it is empty, -1, which matches nothing, if it is malformed. */
export function versionOf(etag: string): number | undefined {
  if (etag === "") return undefined;
  const [, digits] = /^v(\d{1,15})$/.exec(etag) ?? [];
  return digits === undefined ? -1 : Number(digits);
}
