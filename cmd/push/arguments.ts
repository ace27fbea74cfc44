import { type Command, Option } from "commander";
import { type Common, command, milliseconds, optionsOf } from "../arguments.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import type { PushOptions } from "./push.ts";

/** Adds `engage push`. */
export function addPush(program: Command): void {
  command(program, "push", "push to an audience, by a channel of a server")
    .argument("[file]", "the task, in YAML or JSON; - for standard input")
    .option("--channel <id>", "the channel, by id or name (default: the file's)")
    .option("--name <text>", "name of the task (default: the file's)")
    .option("--to <push-id...>", "who is sent to, instead of the file's audience")
    .option("--to-file <file>", "as --to, with one push id a line")
    .option("--set <field=text...>", "texts of the default content, before those of the file")
    .addOption(
      new Option("--task <id>", "run this task once more instead of a new one").conflicts([
        "channel",
        "name",
        "to",
        "toFile",
        "set",
      ]),
    )
    .addOption(
      new Option("--watch <id>", "only watch the latest run of this task").conflicts([
        "channel",
        "name",
        "to",
        "toFile",
        "set",
        "task",
        "wait",
      ]),
    )
    .option("--no-wait", "only begin it")
    .option("--url <url>", "the server (default: at the configured address)")
    .option("--key-file <file>", "file with a bearer key (default: the key in $ENGAGE_KEY, or none)")
    .option("--timeout <ms>", "how long to wait for an answer", milliseconds, 30_000)
    .option("--json", "print what comes out as one JSON object")
    .addHelpText(
      "after",
      `
The file is an engage.channel.v1.Task; a text may stand for {text: …} among the values of a
content, also of one in experiment_groups:
  name: spring mail
  channel_id: c1
  contents: [{language: default, values: {title: Hello}}]
  audience: {users: {filts: [{columnName: level, tableType: user, comparator: greater, ftv: [3]}]}}
or, by push ids, audience: {push_ids: [ann, bob]}
Ended early, or while the server restarts, the task goes on in the server.
Exit codes: 0 everything has succeeded, 1 something has failed or nobody was sent to, 2 the command line is
wrong, 130 ended early by Ctrl-C`,
    )
    .action(async (file: string | undefined, options: Common & PushOptions) => {
      const { runPush } = await import("./push.ts");
      process.exitCode = await runPush(
        await optionsOf(options),
        file,
        options,
        process,
        stopSignal("stopped"),
      );
    });
}
