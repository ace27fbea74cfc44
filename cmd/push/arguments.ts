import { type Command, Option } from "commander";
import { type Common, command, optionsOf, withServer } from "../arguments.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import type { PushOptions } from "./push.ts";

/** Adds `engage push`. */
export function addPush(program: Command): void {
  const ofNewTasks = ["channel", "name", "to", "toFile", "set"];
  withServer(command(program, "push", "push to an audience, through a server's channel"), 30_000)
    .argument("[file]", "the task, in YAML or JSON; - for standard input")
    .option("--channel <id>", "channel, by id or name (default: the file's)")
    .option("--name <text>", "name of the task (default: the file's)")
    .option("--to <push-id...>", "push ids to send to, instead of the file's audience")
    .option("--to-file <file>", "like --to, from a file with one push id per line")
    .option("--set <field=text...>", "texts of the default content, which override those of the file")
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
    .addHelpText(
      "after",
      `
The file is an engage.channel.v1.Task. Among the values of a content, a text may be written
instead of {text: …}, also in experiment_groups:
  name: spring mail
  channel_id: c1
  contents: [{language: default, values: {title: Hello}}]
  audience: {users: {filts: [{columnName: level, tableType: user, comparator: greater, ftv: [3]}]}}
or, by push ids, audience: {push_ids: [ann, bob]}
When the command ends early, or the server restarts, the task continues in the server.
Exit codes: 0 everything has succeeded, 1 something has failed or there were no messages, 2 the command line is
wrong, 130 ended early by Ctrl-C`,
    )
    .action(async (file: string | undefined, options: Common & PushOptions) => {
      const { runPush } = await import("./push.ts");
      const config = await optionsOf(options);
      process.exitCode = await runPush(config, file, options, process, stopSignal("stopped"));
    });
}
