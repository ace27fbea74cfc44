import type { Argument, Command, Option } from "commander";

/** A command with what can follow it on the command line. */
export interface CommandNode {
  /** The words after `engage`, such as `key create`; empty for `engage` itself. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  /** What `--help` shows as usage. */
  readonly usage: string;
  readonly arguments: readonly ArgumentNode[];
  readonly options: readonly OptionNode[];
  readonly commands: readonly CommandNode[];
  /** What `--help` shows after the options, such as examples. */
  readonly notes: string;
}

export interface ArgumentNode {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
  readonly choices: readonly string[];
  readonly isFile: boolean;
}

export interface OptionNode {
  /** As `--help` shows them, such as `-c, --config <file>`. */
  readonly flags: string;
  /** Such as `-c` and `--config`. */
  readonly names: readonly string[];
  /** With the default and the choices, as `--help` shows it. */
  readonly description: string;
  /** The placeholder of its value, such as `file`; undefined if it takes none. */
  readonly value: string | undefined;
  readonly isVariadic: boolean;
  readonly choices: readonly string[];
  readonly isFile: boolean;
}

/** Describes a command and all commands below it, from the definitions that `--help` shows. */
export function describeCommand(command: Command, parents: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  return {
    path: parents.join(" "),
    name: command.name(),
    description: command.description(),
    usage: help.commandUsage(command),
    arguments: command.registeredArguments.map(describeArgument),
    options: help
      .visibleOptions(command)
      .map((option) => describeOption(option, help.optionDescription(option))),
    commands: commands.map((child) => describeCommand(child, [...parents, child.name()])),
    notes: notesOf(command),
  };
}

/** Returns the command and all below it, each before its own. */
export function listCommands(root: CommandNode): readonly CommandNode[] {
  return [root, ...root.commands.flatMap(listCommands)];
}

function describeArgument(argument: Argument): ArgumentNode {
  const name = argument.name();
  return {
    name,
    description: argument.description,
    isRequired: argument.required,
    isVariadic: argument.variadic,
    choices: argument.argChoices ?? [],
    isFile: name === "file",
  };
}

function describeOption(option: Option, description: string): OptionNode {
  const takesValue = option.required || option.optional;
  const value = takesValue ? /[<[]([^>\].]+)/.exec(option.flags)?.[1] : undefined;
  return {
    flags: option.flags,
    names: [option.short, option.long].filter((name) => name !== undefined),
    description,
    value,
    isVariadic: option.variadic,
    choices: option.argChoices ?? [],
    isFile: value === "file",
  };
}

/** Returns the texts after the options. Commander shows them only as a part of the whole help. */
function notesOf(command: Command): string {
  let text = "";
  const output = command.configureOutput();
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  command.configureOutput(output);
  return text.slice(command.helpInformation().length).trim();
}
