import { type Command, Option } from "commander";
import { type Common, command, optionsOf, positive, withServer } from "../arguments.ts";
import type { ServerOptions } from "../client/rpc-client.ts";
import type { MessageOutput } from "../terminal/messages.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import type { PreviewOptions } from "./preview.ts";
import type { PushOptions } from "./push.ts";
import type { TaskOptions } from "./read-task.ts";
import type { ListOptions } from "./task.ts";

interface Options extends Common, ServerOptions {
  readonly json?: true;
}

const withJson = "print one JSON object";
const withJsonLines = "print one JSON object per line";
const states = ["draft", "scheduled", "preparing", "sending", "done", "cancelled", "failed"];

/** Adds `engage task …`, commands that manage the pushes of a running server. */
export function addTask(program: Command): void {
  const group = program.command("task").description("create, run and follow the pushes of a server");
  const add = (name: string, description: string, timeoutMs = 30_000): Command =>
    withServer(command(group, name, description), timeoutMs);
  const addOne = (name: string, description: string, timeoutMs?: number): Command =>
    add(name, description, timeoutMs).argument("<task>", "id of the task");

  add("list", "list tasks, the newest first")
    .option("--channel <id>", "only tasks of this channel, by id or name")
    .addOption(new Option("--state <state...>", "only tasks in these states").choices(states))
    .option("--limit <number>", "number of rows to show at most", positive, 100)
    .option("--json", withJsonLines)
    .action((options: Options & ListOptions) =>
      call(options, undefined, ({ printTasks }, client, output) => printTasks(client, options, output)),
    );
  addOne("show", "show a task with the counts of its latest run as YAML")
    .option("--json", withJson)
    .action((id: string, options: Options) =>
      call(options, id, ({ printTask }, client, output) => printTask(client, id, output)),
    );
  addDefined(add);
  addRuns(addOne);
  addOne("cancel", "end a task: its schedule, and the batches that are not in flight")
    .option("--json", withJson)
    .action((id: string, options: Options) =>
      call(options, id, ({ cancelTask }, client, output) => cancelTask(client, id, output)),
    );
  addOne("funnel", "count the users who reached each step after the latest run of a task", 60_000)
    .option("--json", withJsonLines)
    .action((id: string, options: Options) =>
      call(options, id, ({ printFunnels }, client, output) => printFunnels(client, id, output)),
    );
  addOne("batches", "list the batches of the latest run of a task, with why they failed")
    .option("--failed", "only batches that failed, or whose receiver named failed messages")
    .option("--limit <number>", "number of rows to show at most", positive, 100)
    .option("--json", withJsonLines)
    .action((id: string, options: Options & { failed?: true; limit: number }) =>
      call(options, id, ({ printBatches }, client, output) => printBatches(client, id, options, output)),
    );
}

/** Adds the commands that read a task from a file and from options. */
function addDefined(add: (name: string, description: string, timeoutMs?: number) => Command): void {
  const addFile = (name: string, description: string, timeoutMs?: number): Command =>
    withTask(add(name, description, timeoutMs))
      .option("--json", withJson)
      .addHelpText("after", fileNotes);

  addFile("create", "create a task, which runs by its schedule or with engage task run").action(
    (file: string | undefined, options: Options & TaskOptions) =>
      call(options, undefined, async ({ printNewTask }, client, output) =>
        printNewTask(client, await taskOf(file, options), output),
      ),
  );
  addFile("estimate", "count the users of an audience, and those who can receive messages", 60_000).action(
    (file: string | undefined, options: Options & TaskOptions) =>
      call(options, undefined, async ({ printEstimate }, client, output) =>
        printEstimate(client, await taskOf(file, options), output),
      ),
  );
  addFile("preview", "write one message as a run would send it, without sending it")
    .requiredOption("--recipient <push-id>", "recipient of the message (required)")
    .option("--group <id>", "group of the A/B test (default: the first)")
    .option("--language <language>", "language of the content (default: that of the recipient)")
    .action((file: string | undefined, options: Options & TaskOptions & PreviewOptions) =>
      call(options, undefined, async (_commands, client, output) => {
        const { previewMessage } = await import("./preview.ts");
        await previewMessage(client, await taskOf(file, options), options, output);
      }),
    );
}

/** Adds the commands that start or follow a run. */
function addRuns(addOne: (name: string, description: string) => Command): void {
  const follow = async (options: Options & PushOptions): Promise<void> => {
    const { runPush } = await import("./push.ts");
    const config = await optionsOf(options);
    process.exitCode = await runPush(config, undefined, options, process, stopSignal("stopped"));
  };
  addOne("run", "start a run of a task and follow it")
    .option("--no-wait", "start the run and exit")
    .option("--json", withJson)
    .addHelpText("after", runNotes)
    .action((task: string, options: Options & PushOptions) => follow({ ...options, task }));
  addOne("watch", "follow the latest run of a task")
    .option("--json", withJson)
    .addHelpText("after", runNotes)
    .action((watch: string, options: Options & PushOptions) => follow({ ...options, watch }));
}

function withTask(one: Command): Command {
  return one
    .argument("[file]", "the task, in YAML or JSON; - for standard input")
    .option("--channel <id>", "channel, by id or name (default: the file's)")
    .option("--name <text>", "name of the task (default: the file's)")
    .option("--to <push-id...>", "push ids to send to, instead of the file's audience")
    .option("--to-file <file>", "like --to, from a file with one push id per line")
    .option("--set <field=text...>", "texts of the default content, which override those of the file");
}

const fileNotes = `
The file is an engage.channel.v1.Task. Among the values of a content, a text may be written
instead of {text: …}, also in experiment_groups:
  name: spring mail
  channel_id: c1
  contents: [{language: default, values: {title: Hello}}]
  audience: {users: {filts: [{columnName: level, tableType: user, comparator: greater, ftv: [3]}]}}
or, by push ids, audience: {push_ids: [ann, bob]}`;

const runNotes = `
When the command ends early, or the server restarts, the task continues in the server.
Exit codes: 0 everything has succeeded, 1 something has failed or there were no messages, 2 the command line is
wrong, 130 ended early by Ctrl-C`;

/** Adds `engage push`, which creates a task, runs it and follows it. */
export function addPush(program: Command): void {
  const ofNewTasks = ["channel", "name", "to", "toFile", "set"];
  withTask(withServer(command(program, "push", "push to an audience, through a server's channel"), 30_000))
    .addOption(
      new Option("--task <id>", "run this existing task again instead of a new one").conflicts(ofNewTasks),
    )
    .addOption(
      new Option("--watch <id>", "only watch the latest run of this task").conflicts([
        ...ofNewTasks,
        "task",
        "wait",
      ]),
    )
    .option("--no-wait", "start the run and exit")
    .option("--json", "print the result as one JSON object")
    .addHelpText("after", `${fileNotes}${runNotes}`)
    .action(async (file: string | undefined, options: Common & PushOptions) => {
      const { runPush } = await import("./push.ts");
      const config = await optionsOf(options);
      process.exitCode = await runPush(config, file, options, process, stopSignal("stopped"));
    });
}

async function taskOf(file: string | undefined, options: TaskOptions) {
  const { readTask } = await import("./read-task.ts");
  return await readTask(file, options, process.stdin);
}

type Commands = typeof import("./task.ts");
type Client = Parameters<Commands["printTasks"]>[0];

/** @param taskId the task of the command, if it names one */
async function call(
  options: Options,
  taskId: string | undefined,
  run: (commands: Commands, client: Client, output: MessageOutput) => Promise<void>,
): Promise<void> {
  const [{ withClient }, { ChannelSender }, commands] = await Promise.all([
    import("../client/rpc-client.ts"),
    import("../../gen/engage/channel/v1/channel_sender_pb.ts"),
    import("./task.ts"),
  ]);
  const { stdout, stderr } = process;
  const output: MessageOutput = { stdout, stderr, json: options.json };
  await withClient(ChannelSender, await optionsOf(options), options, async (client) => {
    try {
      await run(commands, client, output);
    } catch (error) {
      throw taskId === undefined ? error : await commands.withLatestTasks(client, taskId, error);
    }
  });
}
