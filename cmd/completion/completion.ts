import type { Writable } from "node:stream";
import type { Command } from "commander";
import { writeBash } from "./bash.ts";
import { writeFish } from "./fish.ts";
import { type CommandNode, describeCommand } from "./tree.ts";
import { writeZsh } from "./zsh.ts";

const writers: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};

/** Prints the completion of the program for a shell, one of those that the command accepts. */
export function printCompletion(program: Command, shell: string, stdout: Writable): void {
  stdout.write(writers[shell]!(describeCommand(program)));
}
