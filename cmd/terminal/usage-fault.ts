import type { Command, CommanderError } from "commander";
import { bare, knownNames } from "../../base/text/known-names.ts";

const unknownWord = /^error: unknown (command|option) '(.*)'$/s;

/** Adds the commands or options that exist to the message about an unknown one. @param command the one that failed */
export function nameKnownWords(error: CommanderError, command: Command): void {
  const [, kind, word] = unknownWord.exec(error.message) ?? [];
  if (kind === undefined || word === undefined) return;
  const known = kind === "command" ? commandsOf(command) : optionsOf(command);
  error.message += `, ${knownNames(word, known, { write: bare })}`;
}

function commandsOf(command: Command): string[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.map((one) => one.name());
}

/** Includes the options of the commands above, which may be given, too. */
function optionsOf(command: Command): string[] {
  const shown = command.createHelp().visibleOptions(command);
  const own = shown.map(({ long, short }) => long ?? short ?? "");
  return command.parent === null ? own : [...new Set([...own, ...optionsOf(command.parent)])];
}
