import type { Command } from "commander";
import { longestCallMs } from "../../base/rpc/longest-call.ts";
import { type Common, command, optionsOf, positive, withServer } from "../arguments.ts";
import type { DeleteEventsOptions } from "./delete-events.ts";

/** Adds `engage delete-events`. */
export function addDeleteEvents(program: Command): void {
  withServer(command(program, "delete-events", "count events of a server, and delete them"), longestCallMs)
    .requiredOption("--project <id>", "project id (required)", positive)
    .option("--event <name...>", "only events with these names")
    .option("--from <day>", "only events of this day or later, yyyy-MM-dd in the project's zone")
    .option("--to <day>", "only events of this day or earlier")
    .option("--account <id...>", "only events of the users with these accounts")
    .option("--visitor <id...>", "only events of the users with these distinct ids")
    .option("--user <id...>", "only events of the users with these user ids")
    .option("--all", "all events of the project; required without a selection")
    .option("--dry-run", "only count them")
    .option("--yes", "do not ask")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      `
It counts the events by name, asks, and deletes them for ever. The server logs what was deleted.
When more events match than were counted, nothing is deleted. Records that are not loaded yet are
kept, as are users with their properties, names of events, dead letters, and files in backups.

A server ends calls after limits.maxDeadlineMs, also those with a longer --timeout.`,
    )
    .action(async (options: Common & DeleteEventsOptions) => {
      const { deleteEvents } = await import("./delete-events.ts");
      const { stdin, stdout, stderr } = process;
      await deleteEvents(await optionsOf(options), options, { stdin, stdout, stderr, json: options.json });
    });
}
