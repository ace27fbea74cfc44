import { type Command, Option } from "commander";
import { type Common, command, optionsOf, positive } from "./arguments.ts";
import type { ExportOptions } from "./export-command.ts";
import type { ImportOptions } from "./import-target.ts";
import { stopSignal } from "./stop-signal.ts";

/** Adds `engage import` and `engage export`. */
export function addImport(program: Command): void {
  command(program, "import", "bring in event records, here or to a server")
    .argument("<file...>", "NDJSON, CSV or Parquet, the first two also gzipped; - for standard input")
    .option("--project <id>", "the project (default: the only one)", positive)
    .addOption(
      new Option("--format <name>", "what the files are (default: by their names)").choices([
        ...["ndjson", "csv", "parquet"],
      ]),
    )
    .option("--mapping <file>", "YAML that says how rows become records, with the keys of a parser format")
    .option("--map <target=column...>", "one entry of it, such as #account_id=user or price=amount:number")
    .option("--dry-run", "only check, as if nothing were stored yet")
    .option("--strict", "exit with 1 when a record is refused")
    .option("--url <url>", "send to this server, which may use the data folder meanwhile")
    .option("--key-file <file>", "file with a key for the server (default: the key in ENGAGE_KEY)")
    .addHelpText(
      "after",
      `
Without --url it opens the data folder itself, so no server may run on it.
Progress and the summary go to standard error. Refused records become dead letters.`,
    )
    .action(async (files: string[], options: Common & ImportOptions) => {
      const { runImport } = await import("./import-command.ts");
      process.exitCode = await runImport(
        await optionsOf(options),
        files,
        options,
        process,
        stopSignal("stopped"),
      );
    });
  command(program, "export", "write users and events as import takes them")
    .argument("<file>", "NDJSON, gzipped when its name ends in .gz; - for standard output")
    .option("--project <id>", "the project (default: the only one)", positive)
    .option("--from <day>", "first day of events, such as 2026-01-31, in the project's zone")
    .option("--to <day>", "last day of events")
    .option("--no-users", "events only")
    .addHelpText("after", "\nIt opens the data folder itself, so no server may run on it.")
    .action(async (file: string, options: Common & ExportOptions) => {
      const { runExport } = await import("./export-command.ts");
      await runExport(await optionsOf(options), file, options, process, stopSignal("stopped"));
    });
}
