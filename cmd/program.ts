import { Command, Option } from "commander";
import { packageVersion } from "../base/package/root.ts";
import { type Common, command, milliseconds, optionsOf, positive } from "./arguments.ts";
import { addExamples } from "./examples.ts";
import { addImport } from "./import/arguments.ts";
import type { ParseCommandOptions } from "./parse/parse.ts";
import { addPush } from "./push/arguments.ts";
import { addQuery } from "./query/arguments.ts";
import { addReceiverTools } from "./receiver/arguments.ts";
import { addStore } from "./store/arguments.ts";
import { addToken } from "./token/arguments.ts";
import { addWebhook } from "./webhook/arguments.ts";

const exitCodes = `
Exit codes:
  0  done
  1  failed: a wrong configuration, an input that cannot be read, a service that is not ready,
     an import all of whose records are refused, and with parse --strict a line without a record,
     with import --strict a record that is refused
  2  the command line is wrong
  130  ended by Ctrl-C
  141  what read standard output went away`;

/** The commands and their options. Each is imported when it runs, so that none waits for what another needs. */
export function createProgram(): Command {
  const program = new Command("engage")
    .description(
      "Parse, collect and query events, receive webhooks and push to audiences: as a server, or from here.",
    )
    .version(packageVersion())
    .addHelpText(
      "after",
      `
Examples:
  $ engage serve                          the demo, on 127.0.0.1:8080
  $ engage serve --config engage.yaml
  $ engage config --check                 all that is wrong, with line numbers
  $ engage parse access.log.1.gz          log lines to event records
  $ engage key create shipper             a key for auth.keys
  $ engage query query.json --plot        numbers of events as a chart
  $ engage import events.ndjson.gz        event records into the data folder
  $ engage webhook dead-letters           messages that a running server has given up
  $ engage push --channel mail --to ann --set title=Hello
  $ engage check http://127.0.0.1:9000/hook --secret abc
                                          grade a webhook receiver, yours or ours
${exitCodes}`,
    );
  addServing(program);
  addTools(program);
  addWebhook(program);
  addToken(program);
  addQuery(program);
  addStore(program);
  addImport(program);
  addPush(program);
  addReceiverTools(program);
  addExamples(program);
  return program;
}

function addServing(program: Command): void {
  command(program, "serve", "serve gRPC, gRPC-Web, Connect and REST on one port").action(
    async (options: Common) => {
      const { serve } = await import("./serve/serve.ts");
      await serve(await optionsOf(options));
    },
  );
  command(program, "parser-plugin", "run as the child process of a log shipper").action(
    async (options: Common) => {
      const { runParserPlugin } = await import("./parser-plugin/parser-plugin.ts");
      await runParserPlugin(await optionsOf(options));
    },
  );
  command(program, "demo", "start a server, call it and show what comes back").action(
    async (options: Common) => {
      const { runDemo } = await import("./demo/demo.ts");
      await runDemo(await optionsOf(options), process.stdout);
    },
  );
}

function addTools(program: Command): void {
  command(program, "parse", "log lines to event records, one JSON object a line")
    .argument("<file...>", "files, also gzipped ones; - for standard input")
    .option("--format <name>", "parse all lines by this format, whatever the index")
    .option("--index <name>", "choose the format by this index instead of the file's name")
    .option("--strict", "exit with 1 when a line has no record")
    .option("--rejects <file>", "keep lines without a record here, as NDJSON with line number and reason")
    .option("--examples <n>", "bad lines to show for each reason (default: 1)", positive)
    .addHelpText("after", "\nRecords go to standard output; progress and the summary to standard error.")
    .action(async (files: string[], options: Common & ParseCommandOptions) => {
      const { runParse } = await import("./parse/parse.ts");
      process.exitCode = await runParse(await optionsOf(options), files, options, process);
    });
  command(program, "config", "show or check the configuration")
    .addOption(
      new Option("--print", "the values in effect and where each came from").conflicts(["check", "schema"]),
    )
    .option("--check", "all that is wrong, with line numbers")
    .addOption(new Option("--schema", "the JSON Schema of engage.yaml, for editors").conflicts("check"))
    .action(async (options: Common & { check?: true; schema?: true }) => {
      const { checkConfig, printConfig, printSchema } = await import("./config/command.ts");
      if (options.schema) return printSchema(process.stdout);
      await (options.check ? checkConfig : printConfig)(await optionsOf(options), process.stdout);
    });
  command(program, "migrate", "bring the tables in PostgreSQL up to this version").action(
    async (options: Common) => {
      const { runMigrate } = await import("./migrate/migrate.ts");
      await runMigrate(await optionsOf(options), process.stdout);
    },
  );
  program
    .command("key")
    .description("keys for callers")
    .command("create <name>")
    .description("make a random key, shown once, and its entry for auth.keys")
    .option("--method <pattern...>", 'what it may call, such as "proto.Parser/*" (default: everything)')
    .option("--json", "print one JSON object")
    .action(async (name: string, options: { json?: true; method?: string[] }) => {
      const { createKey } = await import("./key/key.ts");
      createKey(name, options, process.stdout);
    });
  command(program, "health", "ask a running service whether it is ready")
    .option("--url <url>", "where to ask (default: /readyz at the configured address)")
    .option("--timeout <ms>", "how long to wait", milliseconds, 3000)
    .action(async (options: Common & { url?: string; timeout: number }) => {
      const { runHealth } = await import("./health/health.ts");
      process.exitCode = await runHealth(await optionsOf(options), options, process);
    });
}
