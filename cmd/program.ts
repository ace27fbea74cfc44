import { Command, Option } from "commander";
import { packageVersion } from "../base/package/root.ts";
import { type Common, command, milliseconds, optionsOf, positive } from "./arguments.ts";
import { addBackup } from "./backup/arguments.ts";
import { addCatalog } from "./catalog/arguments.ts";
import { addChannel } from "./channel/arguments.ts";
import { addCheck } from "./check/arguments.ts";
import { addCohort } from "./cohort/arguments.ts";
import { addCommonOptions } from "./common-options.ts";
import { addCompletion } from "./completion/arguments.ts";
import { addDeadLetters } from "./dead-letters/arguments.ts";
import { addDeleteEvents } from "./delete-events/arguments.ts";
import { addDocs } from "./docs/arguments.ts";
import { addExamples } from "./examples.ts";
import { addExport } from "./export/arguments.ts";
import { addImport } from "./import/arguments.ts";
import { addInit } from "./init/arguments.ts";
import { addListen } from "./listen/arguments.ts";
import { addMcp } from "./mcp/arguments.ts";
import type { ParseCommandOptions } from "./parse/parse.ts";
import { addProfile } from "./profile/arguments.ts";
import { addQuery } from "./query/arguments.ts";
import { addSend } from "./send/arguments.ts";
import { addStore } from "./store/arguments.ts";
import { addPush, addTask } from "./task/arguments.ts";
import { addToken } from "./token/arguments.ts";
import { addVersion } from "./version/arguments.ts";
import { addWebhook } from "./webhook/arguments.ts";

const exitCodes = `
Exit codes:
  0  done
  1  failed: a wrong configuration, an input that cannot be read, a service that is not ready,
     an import whose records were all refused; with parse --strict also a line without a
     record, with import --strict also a refused record
  2  the command line is wrong
  130  ended by Ctrl-C
  141  the reader of standard output was closed

With --json errors are JSON too, on the last line of standard error.`;

/**
 * Creates the commands and their options. The code of a command is imported when it runs.
 * @param first the first word of the command line: a server that starts needs none of the other commands
 */
export function createProgram(first?: string): Command {
  const program = new Command("engage")
    .description(
      "Parse, collect and query events, receive webhooks and push to audiences, as a server or from the command line.",
    )
    .version(packageVersion())
    .addHelpText(
      "after",
      `
Examples:
  $ engage init                           ask a few questions and write engage.yaml
  $ engage serve                          serve the demo on 127.0.0.1:8080
  $ engage serve --config engage.yaml
  $ engage config --check                 list configuration errors with line numbers
  $ engage parse access.log.1.gz          turn log lines into event records
  $ engage key create shipper             create a key for auth.keys
  $ engage query query.json --plot        draw a chart of the events of a server
  $ engage events                         list the events of a server, with their numbers and days
  $ engage import events.ndjson.gz        import event records into the data folder
  $ engage backup backups/monday          copy the data folder, also of a running server
  $ engage dead-letters kinds             count what a server has refused or given up
  $ engage channel create mail.yaml       create a channel for pushes
  $ engage push --channel mail --to ann --set title=Hello
  $ engage profile set production --url https://engage.example.com --key-file production.key --use
  $ engage check http://127.0.0.1:9000/hook --secret abc
                                          grade a webhook receiver
${exitCodes}`,
    );
  for (const add of first === "serve" ? [addServing] : commands) add(program);
  addCommonOptions(program);
  addExamples(program);
  return program;
}

/** What adds commands, in the order of the help. */
const commands: readonly ((program: Command) => void)[] = [
  addInit,
  addServing,
  addTools,
  addConfig,
  addWebhook,
  addDeadLetters,
  addToken,
  addQuery,
  addCatalog,
  addMcp,
  addDeleteEvents,
  addCohort,
  addStore,
  addBackup,
  addImport,
  addExport,
  addChannel,
  addTask,
  addPush,
  addCheck,
  addListen,
  addSend,
  addCompletion,
  addProfile,
  addDocs,
  addVersion,
];

function addServing(program: Command): void {
  command(program, "serve", "serve gRPC, gRPC-Web, Connect and REST on a port").action(
    async (options: Common) => {
      // This loads a file, so it comes first: the built server's file sets flags of V8 under which no file is loaded.
      const source = await optionsOf(options);
      const { serve } = await import("./serve/serve.ts");
      await serve(source);
    },
  );
  command(program, "parser-plugin", "parse lines as the child process of a log shipper").action(
    async (options: Common) => {
      const { runParserPlugin } = await import("./parser-plugin/parser-plugin.ts");
      await runParserPlugin(await optionsOf(options));
    },
  );
  command(program, "demo", "start a server, call it and show the responses").action(
    async (options: Common) => {
      const { runDemo } = await import("./demo/demo.ts");
      await runDemo(await optionsOf(options), process.stdout);
    },
  );
}

interface ConfigCommandOptions {
  readonly check?: true;
  readonly schema?: true;
  readonly describe?: true;
  readonly json?: true;
}

function addTools(program: Command): void {
  command(program, "parse", "turn log lines into event records, as NDJSON")
    .argument("<file...>", "files, plain or gzipped; - for standard input")
    .option("--format <name>", "parse all lines with this format, whatever the index")
    .option("--index <name>", "choose the format by this index instead of the file name")
    .option("--strict", "exit with 1 when a line makes no record")
    .option(
      "--rejects <file>",
      "write lines without a record to this file, as NDJSON with line number and reason",
    )
    .option("--examples <n>", "bad lines to show for each reason (default: 1)", positive)
    .option("--json", "print the summary as JSON, as records are")
    .addHelpText("after", "\nRecords go to standard output; progress and the summary to standard error.")
    .action(async (files: string[], options: Common & ParseCommandOptions) => {
      const { runParse } = await import("./parse/parse.ts");
      process.exitCode = await runParse(await optionsOf(options), files, options, process);
    });
  command(program, "migrate", "upgrade tables of shared stores to this version")
    .option("--json", "print one JSON object per store")
    .action(async (options: Common & { json?: true }) => {
      const { runMigrate } = await import("./migrate/migrate.ts");
      await runMigrate(await optionsOf(options), process.stdout, options.json);
    });
  program
    .command("key")
    .description("bearer keys of callers")
    .command("create <name>")
    .description("create a random key, shown once, and its entry for auth.keys")
    .option("--method <pattern...>", 'methods that it may call, such as "proto.Parser/*" (default: all)')
    .option("--json", "print one JSON object")
    .action(async (name: string, options: { json?: true; method?: string[] }) => {
      const { createKey } = await import("./key/key.ts");
      createKey(name, options, process.stdout);
    });
  command(program, "health", "check whether a running server is ready")
    .option("--url <url>", "URL to check (default: /readyz at the configured address)")
    .option("--timeout <ms>", "how long to wait for a response", milliseconds, 3000)
    .option("--json", "print one JSON object")
    .action(async (options: Common & { url?: string; timeout: number; json?: true }) => {
      const { runHealth } = await import("./health/health.ts");
      process.exitCode = await runHealth(await optionsOf(options), options, process);
    });
}

function addConfig(program: Command): void {
  command(program, "config", "show or check the configuration")
    .addOption(
      new Option("--print", "print the values in effect and where each comes from").conflicts([
        "check",
        "schema",
      ]),
    )
    .addOption(
      new Option("--describe", "with --print: write the meaning of each setting above it").conflicts([
        "check",
        "schema",
      ]),
    )
    .option("--check", "list all errors, with line numbers")
    .addOption(new Option("--schema", "print the JSON Schema of engage.yaml, for editors").conflicts("check"))
    .addOption(new Option("--json", "print JSON, one object for each setting or check").conflicts("describe"))
    .action(async (options: Common & ConfigCommandOptions) => {
      const { checkConfig, printConfig, printSchema, printSettingLines } = await import(
        "./config/command.ts"
      );
      if (options.schema) return printSchema(process.stdout);
      const source = await optionsOf(options);
      if (options.check) await checkConfig(source, process.stdout, options.json);
      else if (options.json) printSettingLines(source, process.stdout);
      else printConfig(source, process.stdout, options.describe);
    });
}
