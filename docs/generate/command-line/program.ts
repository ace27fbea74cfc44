import { type CommandNode, describeCommand, listCommands } from "../../../cmd/completion/tree.ts";
import { createProgram } from "../../../cmd/program.ts";

/** Returns `engage` and all its commands, without those that only show the help of others. */
export function commandsOfEngage(): readonly CommandNode[] {
  return listCommands(withoutHelp(describeCommand(createProgram())));
}

function withoutHelp(command: CommandNode): CommandNode {
  const commands = command.commands.filter(({ name }) => name !== "help").map(withoutHelp);
  return { ...command, commands };
}

/** Returns the whole name, such as `engage key create`. */
export function fullName({ path }: CommandNode): string {
  return path === "" ? "engage" : `engage ${path}`;
}

/** Returns a text as a sentence: with a capital and a full stop. */
export function sentence(text: string): string {
  if (text === "") return "";
  return `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
