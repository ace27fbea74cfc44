import { Argument, type Command } from "commander";
import { type Common, command, nonNegative, optionsOf, positive, withServer } from "../arguments.ts";
import type { ServerOptions } from "../client/rpc-client.ts";
import type { MessageOutput } from "../terminal/messages.ts";
import type { FilterOptions, ListOptions, ReplayOptions } from "./dead-letters.ts";

interface Options extends Common, ServerOptions, FilterOptions {
  readonly json?: true;
}

const kinds = ["webhook", "click", "parser", "record"];
const withJson = "print one JSON object per line";

/** Adds `engage dead-letters …`, commands that call a running server. */
export function addDeadLetters(program: Command): void {
  const group = program.command("dead-letters").description("find and replay what a server has refused");
  const add = (name: string, description: string): Command =>
    withServer(command(group, name, description), 30_000);
  const kind = (): Argument =>
    new Argument("<kind>", "messages of channels, clicks, lines of the parser, or records").choices(kinds);

  add("kinds", "count the dead letters of each kind")
    .option("--json", withJson)
    .action((options: Options) => call(options, ({ printKinds }, ...to) => printKinds(...to)));
  add("reasons", "count the dead letters of a kind by reason")
    .addArgument(kind())
    .option("--json", withJson)
    .action((name: string, options: Options) =>
      call(options, ({ printReasons }, ...to) => printReasons(name, ...to)),
    );
  addFilter(add("list", "list dead letters of a kind, the newest first").addArgument(kind()))
    .option("--oldest-first", "list the oldest first")
    .option("--limit <number>", "number of rows to show at most", positive, 100)
    .option("--json", withJson)
    .action((name: string, options: Options & ListOptions) =>
      call(options, ({ printList }, ...to) => printList(name, options, ...to)),
    );
  addFilter(add("export", "print dead letters of a kind as lines of JSON").addArgument(kind()))
    .option("--json", "print errors as JSON too")
    .action((name: string, options: Options) =>
      call(options, ({ exportAll }, ...to) => exportAll(name, options, ...to)),
    );
  addFilter(add("replay", "hand dead letters of a kind on again, the oldest first").addArgument(kind()))
    .option("--all", "all of the kind; required without a filter")
    .option("--dry-run", "only count them")
    .option("--json", "print one JSON object")
    .action((name: string, options: Options & ReplayOptions) =>
      call(options, ({ replay }, ...to) => replay(name, options, ...to)),
    );
}

function addFilter(one: Command): Command {
  return one
    .option("--id <id>", "only this dead letter")
    .option("--reason <text>", "only with this reason, exactly")
    .option("--text <text>", "only with this part of the details")
    .option("--project <id>", "of records: only of this project", nonNegative)
    .option("--channel <name>", "of messages: only of this channel")
    .option("--target <name>", "of messages: only for this target")
    .option("--index <text>", "of lines: only of this index")
    .option(
      "--from <time>",
      "only those refused or given up at this time or later, such as 2026-01-02T03:04:05Z",
    )
    .option("--until <time>", "only those refused or given up before this time");
}

type Commands = typeof import("./dead-letters.ts");
type Run = (commands: Commands, ...to: Parameters<Commands["printKinds"]>) => Promise<void>;

async function call(options: Options, run: Run): Promise<void> {
  const [{ withClient }, { DeadLetters }, commands] = await Promise.all([
    import("../client/rpc-client.ts"),
    import("../../gen/engage/operations/v1/dead_letters_pb.ts"),
    import("./dead-letters.ts"),
  ]);
  const { stdout, stderr } = process;
  const output: MessageOutput = { stdout, stderr, json: options.json };
  await withClient(DeadLetters, await optionsOf(options), options, (client) => run(commands, client, output));
}
