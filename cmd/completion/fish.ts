import { type CommandNode, listCommands, type OptionNode } from "./tree.ts";

/** Writes the completion of fish, version 3 and later. */
export function writeFish(root: CommandNode): string {
  const all = listCommands(root);
  const paths = all.filter(({ path }) => path !== "").map(({ path }) => quote(path));
  return `# Completion of engage for fish. To load it: engage completion fish | source
set -g __engage_commands ${paths.join(" ")}

# Whether the words before the cursor name this command.
function __engage_at
    set -l at ""
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        if contains -- "$next" $__engage_commands
            set at "$next"
        end
    end
    test "$at" = "$argv[1]"
end

complete -c engage -f
${all.flatMap(linesOf).join("\n")}
`;
}

function linesOf(command: CommandNode): readonly string[] {
  const { path, commands, options } = command;
  const at = `complete -c engage -n ${quote(`__engage_at ${quote(path)}`)}`;
  const choices = command.arguments.flatMap((one) => one.choices);
  return [
    ...commands.map(({ name, description }) => `${at} -a ${quote(name)} -d ${quote(description)}`),
    ...options.map((option) => `${at} ${formatOption(option)} -d ${quote(option.description)}`),
    ...(choices.length > 0 ? [`${at} -a ${quote(choices.join(" "))}`] : []),
    ...(command.arguments.some(({ isFile }) => isFile) ? [`${at} -F`] : []),
  ];
}

function formatOption({ names, value, choices, isFile }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (value === undefined) return flags.join(" ");
  if (choices.length > 0) return `${flags.join(" ")} -x -a ${quote(choices.join(" "))}`;
  return `${flags.join(" ")} ${isFile ? "-r -F" : "-x"}`;
}

/** Within single quotes, fish reads a backslash only before a quote or another one. */
const quote = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
