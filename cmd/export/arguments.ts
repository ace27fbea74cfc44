import type { Command } from "commander";
import { type Common, command, optionsOf, positive } from "../arguments.ts";
import { stopSignal } from "../terminal/stop-signal.ts";
import type { ExportOptions } from "./export.ts";

/** Adds `engage export`. */
export function addExport(program: Command): void {
  command(program, "export", "write users and events as import reads them")
    .argument("<file>", "NDJSON, gzipped when its name ends in .gz; - for standard output")
    .option("--project <id>", "project id (default: the only project)", positive)
    .option("--from <day>", "first day of events, such as 2026-01-31, in the project's zone")
    .option("--to <day>", "last day of events")
    .option("--no-users", "write only events")
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      `
It opens the data folder itself, so no server may run on it.
The store does not keep #uuid: importing an export into the same project
doubles its events, except those with an #event_id.`,
    )
    .action(async (file: string, options: Common & ExportOptions) => {
      const { runExport } = await import("./export.ts");
      await runExport(await optionsOf(options), file, options, process, stopSignal("stopped"));
    });
}
