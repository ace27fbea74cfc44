import { type Command, Option } from "commander";
import { type Common, command, nonNegative, optionsOf, positive } from "../arguments.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import type { ImportOptions } from "./target.ts";

/** Adds `engage import`. */
export function addImport(program: Command): void {
  command(program, "import", "import event records, locally or to a server")
    .argument("<file...>", "NDJSON, CSV or Parquet, the first two also gzipped; - for standard input")
    .option("--project <id>", "project id (default: the only project)", positive)
    .addOption(
      new Option("--format <name>", "format of the files (default: by their names)").choices([
        "ndjson",
        "csv",
        "parquet",
      ]),
    )
    .option("--mapping <file>", "YAML file that maps rows to records, with the keys of a parser format")
    .option(
      "--map <target=column...>",
      "one entry of the mapping, such as #account_id=user, price=amount:number or the text #type:=track",
    )
    .option("--skip <n>", "skip lines, or rows of a table, at the beginning of the first file", nonNegative)
    .option("--dry-run", "only check the records, as if nothing were stored yet")
    .option("--strict", "exit with 1 when a record is refused")
    .option(
      "--rejects <file>",
      "write refused records to this file, as NDJSON with their place and the reason",
    )
    .option("--examples <n>", "refused records to show for each reason (default: none)", positive)
    .option("--json", "print the summary as JSON, on standard output")
    .option("--again", "import files that were imported before, which counts their events twice")
    .addOption(
      new Option(
        "--url <url>",
        "send to this server, which may use the data folder at the same time",
      ).conflicts("profile"),
    )
    .option("--profile <name>", "like --url, to the server of a profile")
    .option("--key-file <file>", "file with a bearer key (default: that of the profile, or $ENGAGE_KEY)")
    .addHelpText(
      "after",
      `
Without --url and --profile it opens the data folder itself, so no server may run on it.
Progress and the summary go to standard error. Refused records become dead letters.
Records are events when #event_name is mapped and nothing provides a #type.
Ctrl-C stops reading, stores what was read, and prints the --skip and files with which to
continue, so that nothing is counted twice.`,
    )
    .action(async (files: string[], options: Common & ImportOptions) => {
      const { runImport } = await import("./import.ts");
      const config = await optionsOf(options);
      process.exitCode = await runImport(config, files, options, process, stopSignal("stopped"));
    });
}
