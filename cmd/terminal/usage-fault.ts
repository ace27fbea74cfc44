import type { Command, CommanderError } from "commander";
import { bare, knownNames, listKnown } from "../../base/text/known-names.ts";

const unknownWord = /^error: unknown (command|option) '(.*)'$/s;
const wrongChoice = /^(.*'(.*)' is invalid(?: for argument '.*')?)\. Allowed choices are (.*)\.$/s;
const missingArgument = /^error: missing required argument '(.*)'$/s;
const style = { write: bare };

/** Adds the valid words to a message about an unknown, wrong or missing one. @param command the one that failed */
export function nameKnownWords(error: CommanderError, command: Command): void {
  error.message = withKnownWords(error.message, command);
}

function withKnownWords(message: string, command: Command): string {
  const [, kind, word = ""] = unknownWord.exec(message) ?? [];
  if (kind !== undefined) {
    const known = kind === "command" ? commandsOf(command) : optionsOf(command);
    return `${message}, ${knownNames(word, known, style)}`;
  }
  const [, fault, value = "", choices] = wrongChoice.exec(message) ?? [];
  if (choices !== undefined) return `${fault}, ${knownNames(value, choices.split(", "), style)}`;
  const [, name] = missingArgument.exec(message) ?? [];
  const valid = command.registeredArguments.find((one) => one.name() === name)?.argChoices;
  return valid === undefined ? message : `${message}, ${listKnown(valid, style)}`;
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
