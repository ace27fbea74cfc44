import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../cmd/program.ts";
import { defaultLimits } from "../../gateway/limits.ts";

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

function leavesOf(parent: Command, path = ""): readonly Leaf[] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    return command.commands.length > 0 ? leavesOf(command, `${name} `) : [{ name, command }];
  });
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

const program = createProgram();
const leaves = leavesOf(program);

/** Without what the shell takes: quotes, pipes, files and comments. */
function wordsOf(example: string): string[] {
  const own = example.split(" | ").find((part) => part.startsWith("engage "))!;
  return own
    .replace(/ > .*| #.*/, "")
    .replaceAll('"', "")
    .split(" ");
}

describe("the help of engage", () => {
  it("has one line for each command", () => {
    const list = program.helpInformation().split("Commands:\n")[1]!.trimEnd().split("\n");
    expect(list.map((line) => line.trim().split(" ")[0])).toEqual([
      ...program.commands.map((command) => command.name()),
      "help",
    ]);
  });

  it("has no longer default of --timeout than servers allow a call", () => {
    const defaults = leaves.flatMap(({ command }) =>
      command.options.filter(({ long }) => long === "--timeout").map(({ defaultValue }) => defaultValue),
    );
    expect(Math.max(...(defaults as number[]))).toBe(defaultLimits.maxDeadlineMs);
  });

  it.each(leaves)("$name has usage, options and examples that its command takes", ({ name, command }) => {
    const help = helpOf(command);
    expect(help).toMatch(new RegExp(`^Usage: engage ${name} \\[options\\]`));
    const [, examples = ""] = help.split("\nExamples:\n");
    const lines = examples
      .trimEnd()
      .split("\n")
      .filter((line) => line.startsWith("  $ "));
    expect(lines).not.toEqual([]);
    for (const line of lines) {
      const words = wordsOf(line.slice(4));
      const depth = name.split(" ").length + 1;
      expect(words.slice(0, depth).join(" ")).toBe(`engage ${name}`);
      const { operands, unknown } = command.parseOptions(words.slice(depth));
      expect(unknown).toEqual([]);
      expect(operands.length).toBeGreaterThanOrEqual(
        command.registeredArguments.filter(({ required }) => required).length,
      );
    }
  });
});

/** Commands that print nothing but a log, a show, another protocol, or a script for shells. */
const withoutJson = ["serve", "parser-plugin", "demo", "mcp", "completion"];

it("every command that prints results takes --json", () => {
  const lacking = leaves.filter(({ command }) => !command.options.some(({ long }) => long === "--json"));
  expect(lacking.map(({ name }) => name)).toEqual(withoutJson);
});

it("every command takes --quiet and --verbose, except those that only log", () => {
  const lacking = leaves.filter(({ command }) => !command.options.some(({ long }) => long === "--quiet"));
  expect(lacking.map(({ name }) => name)).toEqual(["serve", "parser-plugin", "completion"]);
});
