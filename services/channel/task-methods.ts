import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  InvalidFieldsError,
  maxViolations,
  refuseField,
  refuseViolations,
  under,
} from "../../base/rpc/invalid-fields.ts";
import { readPage, writePageToken } from "../../base/rpc/paging.ts";
import { configuredZone, dateIn } from "../../base/time/zone.ts";
import { encodeTrace } from "../../base/trace/context.ts";
import { inSpan, type Trace } from "../../base/trace/trace.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import type {
  ChannelSender,
  GetTaskRequest,
  GetTaskResponseSchema,
  ListTasksRequest,
} from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { type Task, TaskSchema, TaskState, TaskStateSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import type { StoredTask } from "../../store/channels/channels.ts";
import { checkUnassigned } from "./channels/names.ts";
import type { SenderOptions } from "./ports.ts";
import { mapErrors, notFound, precondition } from "./refusals.ts";
import { compileTimes } from "./schedule/schedule.ts";
import { checkTask, checkTaskContents } from "./tasks/check-task.ts";
import {
  decodeChannel,
  decodeRunChannel,
  decodeTask,
  encodeTask,
  removeDefinition,
  taskStates,
} from "./tasks/codec.ts";
import { runSpan, runSpanName } from "./tasks/run-span.ts";
import { toBatchSummary, toStatistics } from "./tasks/statistics.ts";

type TaskMethod = "createTask" | "runTask" | "cancelTask" | "getTask" | "listTasks" | "listBatches";

/** Creates the methods that create, run, cancel and list tasks. */
export function createTaskMethods(
  options: SenderOptions,
): Pick<ServiceImpl<typeof ChannelSender>, TaskMethod> {
  const { store, now } = options;
  return {
    createTask: ({ task }, { signal }) =>
      mapErrors(() => createTask(options, task ?? refuseField("task", "is required"), signal)),

    runTask: ({ taskId }, context) =>
      mapErrors(async () => {
        const { signal } = context;
        const { task, channel } = await readTask(options, taskId, signal);
        refuseUnfit(taskId, task, channel, options);
        const zone = task.schedule?.zone || (options.projects.zoneOf(channel?.projectId ?? 0n) ?? "UTC");
        const day = dateIn(configuredZone(zone), now());
        const start = (trace: Trace | undefined) =>
          store.startRun(taskId, { day, trace: trace && encodeTrace(trace) }, { signal });
        const started = await inSpan(options.traceOf?.(context), runSpanName, () => runSpan(taskId), start);
        switch (started.kind) {
          case "started":
            return { task: decodeTask(started.task) };
          case "unknown_task":
            throw notFound("task", taskId);
          case "unknown_channel":
            throw precondition(`the channel of task ${taskId} was deleted`);
          case "refused":
            throw precondition(
              started.task.state === "cancelled"
                ? `task ${taskId} is cancelled`
                : `run ${started.task.runId} of task ${taskId} has not ended`,
            );
        }
      }),

    cancelTask: ({ taskId }, { signal }) =>
      mapErrors(async () => {
        const cancelled = await store.cancelTask(taskId, { signal });
        if (cancelled.kind === "unknown_task") throw notFound("task", taskId);
        if (cancelled.kind === "ended") {
          throw precondition(`task ${taskId} is ${cancelled.task.state} and cannot be cancelled`);
        }
        return { task: decodeTask(cancelled.task) };
      }),

    getTask: (request, { signal }) => mapErrors(() => getTask(options, request, signal)),

    listTasks: (request, { signal }) => mapErrors(() => listTasks(options, request, signal)),

    listBatches: (request, { signal }) =>
      mapErrors(async () => {
        const { taskId, onlyFailed } = request;
        const { runId } = await findTask(options, taskId, signal);
        // A token belongs to one run: another run may begin between two pages.
        const list = ["batches", runId ?? "", String(onlyFailed)];
        const page = readPage(request, list);
        if (runId === null) return {};
        const { items, next } = await store.batches(runId, { onlyFailed }, page, { signal });
        return { batches: items.map(toBatchSummary), nextPageToken: writePageToken(next, list) };
      }),
  };
}

async function getTask(
  options: SenderOptions,
  { taskId, withFunnel, withoutDefinition }: GetTaskRequest,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof GetTaskResponseSchema>> {
  const { store } = options;
  const stored = await findTask(options, taskId, signal);
  const task = decodeTask(stored);
  const shown = withoutDefinition ? removeDefinition(task) : task;
  if (stored.runId === null) return { task: shown };
  const [run, statistics] = await Promise.all([
    store.run(stored.runId, { signal }),
    store.statistics(stored.runId, { signal }),
  ]);
  if (run === null || statistics === null) return { task: shown };
  const funnels = withFunnel
    ? await options.funnels({ channel: decodeRunChannel(run), task, run, statistics }, signal)
    : [];
  return { task: shown, statistics: toStatistics(statistics), funnels: [...funnels] };
}

async function listTasks(
  { store }: SenderOptions,
  request: ListTasksRequest,
  signal: AbortSignal,
): Promise<{ readonly tasks: Task[]; readonly nextPageToken: string }> {
  const { channelId, withoutDefinition } = request;
  const states = statesOf(request.states);
  const list = ["tasks", channelId, states.join()];
  const filter = { states, withoutDefinition, ...(channelId !== "" && { channelId }) };
  const { items, next } = await store.tasks(filter, readPage(request, list), { signal });
  return { tasks: items.map(decodeTask), nextPageToken: writePageToken(next, list) };
}

/** Returns the states in the store, each once, in their order there. */
function statesOf(asked: readonly TaskState[]): readonly StoredTask["state"][] {
  const valid = TaskStateSchema.values.filter(({ number }) => number !== TaskState.UNSPECIFIED);
  for (const [i, state] of asked.entries()) {
    if (valid.some(({ number }) => number === state)) continue;
    refuseField(`states[${i}]`, `is ${state}, valid are ${valid.map(({ name }) => name).join(", ")}`);
  }
  return (Object.keys(taskStates) as StoredTask["state"][]).filter((name) =>
    asked.includes(taskStates[name]),
  );
}

async function createTask(
  options: SenderOptions,
  task: Task,
  signal: AbortSignal,
): Promise<{ readonly task: Task; readonly warnings: string[] }> {
  const { store, projects, now } = options;
  const { name, channelId, schedule, taskId, etag } = task;
  refuseViolations(under("task", checkUnassigned({ task_id: taskId, etag })));
  if (channelId === "") refuseField("task.channel_id", "is required");
  const stored = await store.channel(channelId, { signal });
  if (stored === null) throw notFound("channel", channelId);
  const channel = decodeChannel(stored);
  const nowMs = now();
  refuseViolations(under("task", checkTask(task, channel, options, nowMs)));
  const { violations, warnings } = await options.checkAudience(channel.projectId, task.audience!, signal);
  refuseViolations(under("task.audience", violations));
  const zone = projects.zoneOf(channel.projectId) ?? "UTC";
  const created = await store.createTask(
    {
      name,
      channelId,
      definition: encodeTask(definitionOf(task)),
      nextRunAtMs: schedule ? compileTimes(schedule, zone).next(nowMs) : null,
    },
    { signal },
  );
  if (created.kind === "unknown_channel") throw notFound("channel", channelId);
  if (schedule !== undefined) options.scheduled();
  return { task: decodeTask(created.task), warnings: [...warnings] };
}

/** Copies the fields that the caller sets; the store sets the others. */
function definitionOf({ name, channelId, contents, languageProperty, ...task }: Task): Task {
  const { audience, experimentGroups, schedule, journey } = task;
  return create(TaskSchema, {
    name,
    channelId,
    contents,
    languageProperty,
    experimentGroups,
    ...(audience && { audience }),
    ...(schedule && { schedule }),
    ...(journey && { journey }),
  });
}

async function findTask({ store }: SenderOptions, taskId: string, signal: AbortSignal): Promise<StoredTask> {
  const stored = await store.task(taskId, { signal });
  if (stored === null) throw notFound("task", taskId);
  return stored;
}

/** Reads a task and the current state of its channel, which is undefined if it was deleted. */
async function readTask(
  options: SenderOptions,
  taskId: string,
  signal: AbortSignal,
): Promise<{ readonly task: Task; readonly channel: Channel | undefined }> {
  const stored = await findTask(options, taskId, signal);
  const channel = await options.store.channel(stored.channelId, { signal });
  return { task: decodeTask(stored), channel: channel === null ? undefined : decodeChannel(channel) };
}

/** @throws FAILED_PRECONDITION for contents that a run would fail on */
function refuseUnfit(
  taskId: string,
  task: Task,
  channel: Channel | undefined,
  { checkContent }: SenderOptions,
): void {
  const wrong = channel === undefined ? [] : checkTaskContents(task, channel, checkContent);
  if (wrong.length === 0) return;
  const { message } = new InvalidFieldsError(wrong.slice(0, maxViolations));
  throw precondition(`task ${taskId} no longer fits its channel: ${message}`);
}
