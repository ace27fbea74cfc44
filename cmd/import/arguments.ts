import { type Command, InvalidArgumentError, Option } from "commander";
import { type Common, command, optionsOf, positive } from "../arguments.ts";
import type { ExportOptions } from "../export/export.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import type { ImportOptions } from "./target.ts";

/** Adds `engage import` and `engage export`. */
export function addImport(program: Command): void {
  command(program, "import", "bring in event records, here or to a server")
    .argument("<file...>", "NDJSON, CSV or Parquet, the first two also gzipped; - for standard input")
    .option("--project <id>", "the project (default: the only one)", positive)
    .addOption(
      new Option("--format <name>", "what the files are (default: by their names)").choices([
        "ndjson",
        "csv",
        "parquet",
      ]),
    )
    .option("--mapping <file>", "YAML that says how rows become records, with the keys of a parser format")
    .option(
      "--map <target=column...>",
      "one entry of it, such as #account_id=user, price=amount:number or the text #type:=track",
    )
    .option("--skip <n>", "leave out lines, or rows of a table, at the beginning of the first file", rows)
    .option("--dry-run", "only check, as if nothing were stored yet")
    .option("--strict", "exit with 1 when a record is refused")
    .option("--rejects <file>", "keep refused records here, as NDJSON with their place and the reason")
    .option("--examples <n>", "refused records to show for each reason (default: none)", positive)
    .option("--again", "import files that were imported before, which counts their events twice")
    .option("--url <url>", "send to this server, which may use the data folder meanwhile")
    .option("--key-file <file>", "file with a key for the server (default: the key in ENGAGE_KEY)")
    .addHelpText(
      "after",
      `
Without --url it opens the data folder itself, so no server may run on it.
Progress and the summary go to standard error. Refused records become dead letters.
Records are events when #event_name is mapped and nothing gives a #type.
Ctrl-C ends reading, stores what was taken, and tells with which --skip and files to go
on, so that nothing is counted twice.`,
    )
    .action(async (files: string[], options: Common & ImportOptions) => {
      const { runImport } = await import("./import.ts");
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
    .addHelpText(
      "after",
      `
It opens the data folder itself, so no server may run on it.
The store does not keep #uuid: importing an export into the project that it is from
doubles its events, but for those with an #event_id.`,
    )
    .action(async (file: string, options: Common & ExportOptions) => {
      const { runExport } = await import("../export/export.ts");
      await runExport(await optionsOf(options), file, options, process, stopSignal("stopped"));
    });
}

function rows(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("give a whole number from 0 on");
  return Number(text);
}
