import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { valueNumber } from "../../base/protobuf/value-words.ts";
import { quoteList, quoteText } from "../../base/text/quote.ts";
import {
  type ChannelSender,
  EstimateAudienceResponseSchema,
  GetTaskResponseSchema,
} from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import {
  type BatchSummary,
  BatchSummarySchema,
  type Funnel,
  FunnelSchema,
} from "../../gen/engage/channel/v1/statistics_pb.ts";
import { type Task, TaskSchema, TaskState, TaskStateSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { collectRows } from "../client/collect-rows.ts";
import { findChannel } from "../client/find-channel.ts";
import { type MessageOutput, timeOf, writeJson, writeRows, writeWarnings } from "../terminal/messages.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";
import { writeYaml } from "../terminal/yaml.ts";
import { channelOf, createTask, describeNextRun } from "./push.ts";
import { stateName } from "./watch.ts";

export type TaskClient = Client<typeof ChannelSender>;

export interface ListOptions {
  /** Id or name. */
  readonly channel?: string;
  readonly state?: readonly string[];
  readonly limit: number;
}

const maxPageSize = 1_000;

const columns: readonly Column<Task>[] = [
  { head: "TASK", of: ({ taskId }) => taskId },
  { head: "CHANNEL", of: ({ channelId }) => channelId },
  { head: "STATE", of: stateName },
  { head: "CREATED", of: ({ createTime }) => timeOf(createTime) },
  { head: "NEXT RUN", of: ({ nextRunTime }) => timeOf(nextRunTime) },
  { head: "LATEST RUN", of: ({ taskInstanceId }) => taskInstanceId },
  { head: "NAME", of: ({ name }) => name },
  { head: "FAILURE", of: ({ failure }) => failure },
];

/** Prints tasks, the newest first. */
export async function printTasks(
  client: TaskClient,
  { channel, state = [], limit }: ListOptions,
  output: MessageOutput,
): Promise<void> {
  const channelId = channel === undefined ? "" : (await findChannel(client, channel)).channelId;
  const states = state.map((word) => valueNumber(TaskStateSchema, word) as TaskState);
  const filter = { channelId, states, withoutDefinition: output.json !== true };
  const found = await collectRows(limit, maxPageSize, async (page) => {
    const { tasks: rows, nextPageToken } = await client.listTasks({ ...filter, ...page });
    return { rows, nextPageToken };
  });
  writeRows(output, { schema: TaskSchema, columns, none: "no tasks" }, found);
}

/** Prints one task with the counts of its latest run as YAML. */
export async function printTask(client: TaskClient, taskId: string, output: MessageOutput): Promise<void> {
  const response = await client.getTask({ taskId });
  if (output.json) writeJson(output.stdout, GetTaskResponseSchema, [response]);
  else writeYaml(output.stdout, GetTaskResponseSchema, response);
}

/** Creates a task without starting a run. */
export async function printNewTask(client: TaskClient, wanted: Task, output: MessageOutput): Promise<void> {
  const task = await createTask(client, wanted, output.stderr);
  if (output.json) return writeJson(output.stdout, TaskSchema, [task]);
  const { taskId, state } = task;
  const next = `${taskId} is created: engage task run ${taskId}`;
  writeForeign(output.stdout, `${state === TaskState.SCHEDULED ? describeNextRun(task) : next}\n`);
}

/** Ends a task: its schedule, and what is not in flight. */
export async function cancelTask(client: TaskClient, taskId: string, output: MessageOutput): Promise<void> {
  const { task } = await client.cancelTask({ taskId });
  if (output.json) writeJson(output.stdout, TaskSchema, [task!]);
  else writeForeign(output.stdout, `${taskId} is ${stateName(task!)}\n`);
}

const batchColumns: readonly Column<BatchSummary>[] = [
  { head: "BATCH", of: ({ number }) => number },
  { head: "STATE", of: ({ state }) => state.replaceAll("_", " ") },
  { head: "MESSAGES", of: ({ size }) => size },
  { head: "FAILED", of: ({ state, size, failedItems }) => (state === "failed" ? size : failedItems.length) },
  { head: "ATTEMPTS", of: ({ attempts }) => attempts },
  { head: "REQUEST ID", of: ({ requestId }) => requestId },
  { head: "LAST FAILURE", of: ({ lastFailure }) => lastFailure },
];

/** Prints the batches of a task's latest run by number. */
export async function printBatches(
  client: TaskClient,
  taskId: string,
  { failed: onlyFailed = false, limit }: { readonly failed?: boolean; readonly limit: number },
  output: MessageOutput,
): Promise<void> {
  const found = await collectRows(limit, maxPageSize, async (page) => {
    const { batches: rows, nextPageToken } = await client.listBatches({ taskId, onlyFailed, ...page });
    return { rows, nextPageToken };
  });
  writeRows(output, { schema: BatchSummarySchema, columns: batchColumns, none: "no batches" }, found);
}

interface StepRow {
  readonly part: string;
  readonly name: string;
  readonly users: bigint;
  readonly share: string;
}

const stepColumns: readonly Column<StepRow>[] = [
  { head: "PART", of: ({ part }) => part },
  { head: "STEP", of: ({ name }) => name },
  { head: "USERS", of: ({ users }) => users },
  { head: "SHARE", of: ({ share }) => share, isRight: true },
];

/** Prints the funnels of a task's latest run: the whole run, then by A/B group and language. */
export async function printFunnels(
  client: TaskClient,
  taskId: string,
  { stdout, json }: MessageOutput,
): Promise<void> {
  const { task, funnels } = await client.getTask({ taskId, withFunnel: true, withoutDefinition: true });
  if (json) return writeJson(stdout, FunnelSchema, funnels);
  const none = task!.taskInstanceId === "" ? `${taskId} has not run yet\n` : "the run has no funnel\n";
  writeForeign(stdout, funnels.length === 0 ? none : formatTable(stepColumns, funnels.flatMap(stepsOf)));
}

function stepsOf({ groupId, language, steps }: Funnel): readonly StepRow[] {
  const part = [groupId && `group ${groupId}`, language && `language ${language}`].filter(Boolean).join(", ");
  const first = Number(steps[0]?.users ?? 0n);
  return steps.map(({ name, users }) => {
    const share = first === 0 ? "" : `${((Number(users) / first) * 100).toFixed(2)}%`;
    return { part: part || "all", name, users, share };
  });
}

/** Prints the number of users of a task's audience, and of those who can receive messages. */
export async function printEstimate(client: TaskClient, wanted: Task, output: MessageOutput): Promise<void> {
  const { projectId, pushIdProperty } = await channelOf(client, wanted);
  if (wanted.audience === undefined)
    throw new UsageError("an audience is required: --to, or audience in the file");
  const response = await client.estimateAudience({ projectId, pushIdProperty, audience: wanted.audience });
  writeWarnings(output.stderr, response.warnings);
  if (output.json) return writeJson(output.stdout, EstimateAudienceResponseSchema, [response]);
  const { users, reachable } = response;
  output.stdout.write(`users      ${users}\nreachable  ${reachable}\n`);
}

/** Returns the error for an unknown task, with the latest ones where they can be listed; other errors unchanged. */
export async function withLatestTasks(client: TaskClient, taskId: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ConnectError) || error.code !== Code.NotFound) return error;
  const listed = await client
    .listTasks({ pageSize: latestTasks, withoutDefinition: true })
    .catch(() => undefined);
  // The list is an addition, which the key may not be allowed.
  if (listed === undefined) return error;
  const { tasks } = listed;
  const named = tasks.filter(({ name }) => name === taskId).map((task) => task.taskId);
  const latest = tasks.map((task) => `${task.taskId} (${quoteText(task.name)})`).join(", ");
  const hint =
    named.length > 0
      ? `which is the name of ${quoteList(named)}`
      : latest === ""
        ? "there are none"
        : `the latest are ${latest}`;
  return new UserError(`task ${quoteText(taskId)} is not known, ${hint}`, { cause: error });
}

const latestTasks = 10;
