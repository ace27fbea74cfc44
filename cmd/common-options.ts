import { type Command, Option } from "commander";

/** Commands that print nothing but a log, or a script for shells. */
const without: ReadonlySet<string> = new Set(["serve", "parser-plugin", "completion"]);

/** Adds the options that all commands take which print for people or scripts. */
export function addCommonOptions(parent: Command): void {
  for (const one of parent.commands) {
    if (one.commands.length > 0) addCommonOptions(one);
    else if (!without.has(one.name())) {
      one
        .addOption(
          new Option(
            "-q, --quiet",
            "print nothing but results and errors: no progress, notes and warnings",
          ).conflicts("verbose"),
        )
        .option("-v, --verbose", "print which server is called, each call, and where an error was thrown");
    }
  }
}
