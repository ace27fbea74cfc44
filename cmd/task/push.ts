import type { WriteStream } from "node:tty";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { countOf } from "../../base/text/count.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import {
  type FailedItem,
  type TaskProgress,
  TaskProgressSchema,
} from "../../gen/engage/channel/v1/statistics_pb.ts";
import { type Task, TaskSchema, TaskState } from "../../gen/engage/channel/v1/task_pb.ts";
import { findChannel } from "../client/find-channel.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";
import { writeWarnings } from "../terminal/messages.ts";
import { type Column, formatTable, printable } from "../terminal/table.ts";
import { type Output, writeForeign } from "../terminal/terminal.ts";
import { UsageError } from "../terminal/user-error.ts";
import { readTask, type TaskOptions } from "./read-task.ts";
import { hasSucceeded, stateName, watchRun } from "./watch.ts";

export interface PushOptions extends ServerOptions, TaskOptions {
  /** An existing task to run instead of a new one. */
  readonly task?: string;
  /** A task whose latest run is watched; no run is started. */
  readonly watch?: string;
  /** False to start the task and return. */
  readonly wait: boolean;
  readonly json?: boolean;
}

interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Pick<WriteStream, "write">;
  readonly stderr: WriteStream;
}

type Sender = Client<typeof ChannelSender>;

/**
 * Runs a new or existing task of a running server and reports its progress. Resolves
 * with the exit code: 1 when a message has failed, or there were no messages.
 * @param signal stops watching
 * @throws UserError
 */
export async function runPush(
  config: ConfigOptions,
  file: string | undefined,
  options: PushOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  const known = options.task ?? options.watch;
  if (known !== undefined && file !== undefined)
    throw new UsageError(`${known} is an existing task; omit the file`);
  const wanted = known === undefined ? await readTask(file, options, terminal.stdin) : undefined;
  return await withClient(ChannelSender, config, options, async (client) => {
    const created = wanted === undefined ? undefined : await createTask(client, wanted, stderr);
    if (created?.state === TaskState.SCHEDULED) {
      writeForeign(stdout, options.json ? jsonOf(created) : `${describeNextRun(created)}\n`);
      return 0;
    }
    const taskId = known ?? created!.taskId;
    if (options.watch === undefined) {
      const { task } = await client.runTask({ taskId });
      if (!options.wait) {
        writeForeign(stdout, options.json ? jsonOf(task!) : `${task!.taskInstanceId} has started\n`);
        return 0;
      }
      stderr.write(`${task!.taskInstanceId} has started\n`);
    }
    const last = await watchRun(client, taskId, { stderr, signal });
    if (options.json)
      writeForeign(
        stdout,
        `${JSON.stringify(toJson(TaskProgressSchema, last, { alwaysEmitImplicit: true }))}\n`,
      );
    else writeForeign(stdout, await summary(client, last));
    return hasSucceeded(last) ? 0 : 1;
  });
}

/** Creates a task in the channel with the id or name that it names. Warnings of the server are printed. */
export async function createTask(client: Sender, wanted: Task, stderr: Output): Promise<Task> {
  const { channelId } = await channelOf(client, wanted);
  const { task, warnings } = await client.createTask({ task: { ...wanted, channelId } });
  writeWarnings(stderr, warnings);
  return task!;
}

/** Finds the channel of a new task by the id or name that it names. @throws UserError */
export async function channelOf(client: Sender, { channelId }: Task): Promise<Channel> {
  if (channelId === "") throw new UsageError("a channel is required: --channel, or channel_id in the file");
  return await findChannel(client, channelId);
}

/** Says when a scheduled task runs next. */
export function describeNextRun({ taskId, nextRunTime }: Task): string {
  return `${taskId} runs at ${nextRunTime && timestampDate(nextRunTime).toISOString()}`;
}

function jsonOf(task: Task): string {
  return `${JSON.stringify(toJson(TaskSchema, task))}\n`;
}

const shownItems = 10;

const itemColumns: readonly Column<FailedItem>[] = [
  { head: "PUSH ID", of: ({ pushId }) => pushId },
  { head: "MESSAGE", of: ({ message }) => message },
];

async function summary(client: Sender, progress: TaskProgress): Promise<string> {
  const { taskId, taskInstanceId, statistics } = progress;
  const head = `${taskInstanceId} is ${stateName(progress)}`;
  if (statistics === undefined) return `${head}\n`;
  const { planned, filtered, control, batches, succeeded, failed, retried, warnings } = statistics;
  const { task } = await client.getTask({ taskId });
  const parts = [
    countOf(planned, "user"),
    ...(filtered > 0n ? [`${filtered} without a push id of their own`] : []),
    ...(control > 0n ? [`${control} in the control group`] : []),
    countOf(batches, "batch"),
    ...(retried > 0n ? [countOf(retried, "retry")] : []),
    ...(warnings > 0n ? [`${countOf(warnings, "response")} with a warning`] : []),
  ];
  const reasons = failed.map(({ reason, count }) => `failed     ${count}: ${printable(reason)}\n`);
  const why = task?.failure ? `reason     ${printable(task.failure)}\n` : "";
  return `${head}: ${parts.join(", ")}\nsucceeded  ${succeeded}\n${reasons.join("")}${why}${await itemsOf(client, progress)}`;
}

/** Lists the first messages that the receiver rejected, with its reasons; else names the command that has reasons. */
async function itemsOf(client: Sender, { taskId, statistics }: TaskProgress): Promise<string> {
  const rejected = statistics?.failed.find(({ reason }) => reason === "rejected");
  if (rejected === undefined)
    return statistics?.failed.length ? `details    engage task batches ${taskId}\n` : "";
  const { batches } = await client.listBatches({ taskId, onlyFailed: true, pageSize: shownItems });
  const items = batches.flatMap(({ failedItems }) => failedItems).slice(0, shownItems);
  const more = Number(rejected.count) - items.length;
  return `\n${formatTable(itemColumns, items)}${more > 0 ? `and ${more} more\n` : ""}`;
}
