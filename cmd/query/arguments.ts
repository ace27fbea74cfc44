import { type Command, Option } from "commander";
import { type Common, command, optionsOf, positive, withPlace } from "../arguments.ts";
import type { QueryOptions } from "./query.ts";

/** Adds `engage query`. */
export function addQuery(program: Command): void {
  withPlace(command(program, "query", "query the events of a running server"))
    .option(
      "--token <token>",
      "query token (default: that of the profile, $ENGAGE_TOKEN, or one in the configuration)",
    )
    .argument("<file>", "the query as JSON, in the form of the REST body; - for standard input")
    .option("--project <id>", "project id instead of the query's projectId", positive)
    .option("--users", "list the users counted by one number (eventIndex, sliceDate, sliceGroupVal)")
    .addOption(new Option("--plot", "draw a chart in the terminal").conflicts(["users", "csv", "json"]))
    .addOption(
      new Option(
        "--csv",
        "print CSV as it arrives; ids of users, unless the query has selectedColumns",
      ).conflicts("json"),
    )
    .option("--out <file>", "with --csv: file to write (default: standard output)")
    .option("--json", "print the response as it is")
    .action(async (file: string, options: Common & QueryOptions) => {
      const { runQuery } = await import("./query.ts");
      await runQuery(await optionsOf(options), file, options, process);
    });
}
