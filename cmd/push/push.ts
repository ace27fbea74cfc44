import type { WriteStream } from "node:tty";
import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { countOf } from "../../base/text/count.ts";
import { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import {
  type FailedItem,
  type TaskProgress,
  TaskProgressSchema,
} from "../../gen/engage/channel/v1/statistics_pb.ts";
import { type Task, TaskSchema, TaskState } from "../../gen/engage/channel/v1/task_pb.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";
import { type Column, formatTable, maxMessageLength, printable } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";
import { readTask, type TaskOptions } from "./task.ts";
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
    const taskId = known ?? (await createTask(client, wanted!, options, terminal));
    if (taskId === undefined) return 0;
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

/** Creates a task. Returns undefined when a schedule runs it. */
async function createTask(
  client: Sender,
  wanted: Task,
  { json }: PushOptions,
  { stdout, stderr }: Terminal,
): Promise<string | undefined> {
  const channelId = await channelIdOf(client, wanted.channelId);
  const { task, warnings } = await client.createTask({ task: { ...wanted, channelId } });
  for (const warning of warnings) stderr.write(`warning: ${printable(warning, maxMessageLength)}\n`);
  if (task!.state !== TaskState.SCHEDULED) return task!.taskId;
  const at = task!.nextRunTime && timestampDate(task!.nextRunTime).toISOString();
  writeForeign(stdout, json ? jsonOf(task!) : `${task!.taskId} runs at ${at}\n`);
  return undefined;
}

function jsonOf(task: Task): string {
  return `${JSON.stringify(toJson(TaskSchema, task))}\n`;
}

const channelPage = 1_000;

/** Finds a channel by its id or name. */
async function channelIdOf(client: Sender, given: string): Promise<string> {
  if (given === "") throw new UsageError("a channel is required: --channel, or channel_id in the file");
  if (/^c\d+$/.test(given) && (await isChannel(client, given))) return given;
  let pageToken = "";
  do {
    const page = await client.listChannels({ pageSize: channelPage, pageToken });
    const found = page.channels.find(({ name }) => name === given);
    if (found !== undefined) return found.channelId;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  throw new UserError(`no channel has the id or name ${JSON.stringify(given)}`);
}

async function isChannel(client: Sender, channelId: string): Promise<boolean> {
  try {
    await client.getChannel({ channelId });
    return true;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return false;
    throw error;
  }
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
  const reasons = failed.map(
    ({ reason, count }) => `failed     ${count}: ${printable(reason, maxMessageLength)}\n`,
  );
  const why = task?.failure ? `reason     ${printable(task.failure, maxMessageLength)}\n` : "";
  return `${head}: ${parts.join(", ")}\nsucceeded  ${succeeded}\n${reasons.join("")}${why}${await itemsOf(client, progress)}`;
}

/** Lists the first messages that the receiver rejected, with its reasons. */
async function itemsOf(client: Sender, { taskId, statistics }: TaskProgress): Promise<string> {
  const rejected = statistics?.failed.find(({ reason }) => reason === "rejected");
  if (rejected === undefined) return "";
  const { batches } = await client.listBatches({ taskId, onlyFailed: true, pageSize: shownItems });
  const items = batches.flatMap(({ failedItems }) => failedItems).slice(0, shownItems);
  const more = Number(rejected.count) - items.length;
  return `\n${formatTable(itemColumns, items)}${more > 0 ? `and ${more} more\n` : ""}`;
}
