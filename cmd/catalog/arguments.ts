import { type Command, Option } from "commander";
import { type Common, command, optionsOf, positive, withServer } from "../arguments.ts";
import type { EventsOptions, PropertiesOptions } from "./catalog.ts";

/** Adds `engage events` and `engage properties`, which show the catalogue of a running server. */
export function addCatalog(program: Command): void {
  add(program, "events [name]", "list the events of a project, or show one")
    .option("--prefix <text>", "only events whose name begins with this text")
    .addOption(
      new Option("--order <order>", "order of the events").choices(["name", "count"]).default("name"),
    )
    .action(async (name: string | undefined, options: Common & EventsOptions) => {
      const { showEvents } = await import("./catalog.ts");
      await showEvents(await optionsOf(options), name, options, process);
    });
  add(program, "properties [name]", "list the properties of a project, or show one")
    .addOption(
      new Option("--table <table>", "owner of the properties").choices(["event", "user"]).default("event"),
    )
    .option("--event <name>", "only properties or values of events with this name")
    .option("--prefix <text>", "only properties whose name, or texts which, begin with this text")
    .option("--from <day>", "with a name: only values of events of this day or later, yyyy-MM-dd")
    .option("--to <day>", "with a name: only values of events of this day or earlier")
    .action(async (name: string | undefined, options: Common & PropertiesOptions) => {
      const { showProperties } = await import("./catalog.ts");
      await showProperties(await optionsOf(options), name, options, process);
    });
}

function add(program: Command, name: string, description: string): Command {
  return withServer(command(program, name, description), 60_000)
    .option(
      "--token <token>",
      "query token (default: that of the profile, $ENGAGE_TOKEN, or one in the configuration)",
    )
    .option("--project <id>", "project id (default: the only project)", positive)
    .option("--limit <number>", "number of rows to show at most", positive, 100)
    .option("--json", "print one JSON object per line");
}
