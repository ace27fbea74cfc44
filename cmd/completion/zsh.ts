import { type ArgumentNode, type CommandNode, listCommands, type OptionNode } from "./tree.ts";

/** Writes the completion of zsh, for a file `_engage` in a folder of `fpath` or to be evaluated. */
export function writeZsh(root: CommandNode): string {
  const functions = listCommands(root).map(writeFunction);
  return `#compdef engage
# Completion of engage for zsh. To load it: source <(engage completion zsh)

${functions.join("\n")}
if [[ \${funcstack[1]} == _engage ]]; then _engage "$@"; else compdef _engage engage; fi
`;
}

function nameOf({ path }: CommandNode): string {
  return ["_engage", ...path.split(" ").filter(Boolean)].join("_").replaceAll("-", "_");
}

function writeFunction(command: CommandNode): string {
  const { commands, options } = command;
  const specs = [
    ...options.map(optionSpec),
    ...(commands.length > 0 ? ["'1: :->command'", "'*:: :->rest'"] : command.arguments.map(argumentSpec)),
  ];
  const call = `  _arguments -s -S${commands.length > 0 ? " -C" : ""} \\\n    ${specs.join(" \\\n    ")}\n`;
  if (commands.length === 0) return `${nameOf(command)}() {\n${call}}\n`;
  return `${nameOf(command)}() {
  local curcontext="$curcontext" state line
  local -a commands=(
${commands.map(({ name, description }) => `    ${quote(`${name}:${description}`)}`).join("\n")}
  )
${call}  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${commands.map((child) => `        ${child.name}) ${nameOf(child)} ;;`).join("\n")}
      esac
      ;;
  esac
}
`;
}

function optionSpec(option: OptionNode): string {
  const { names, description, value, isVariadic } = option;
  // An option that may be repeated does not exclude itself.
  const excluded = isVariadic ? "*" : `(${names.join(" ")})`;
  const text = `[${description.replace(/[[\]\\:]/g, "\\$&")}]${value === undefined ? "" : `:${value}:${actionOf(option)}`}`;
  return names.length > 1
    ? `${quote(excluded)}{${names.join(",")}}${quote(text)}`
    : quote(`${excluded}${names[0]}${text}`);
}

function argumentSpec(argument: ArgumentNode): string {
  const { name, isRequired, isVariadic } = argument;
  return quote(
    `${isVariadic ? "*" : ""}:${isRequired || isVariadic ? "" : ":"}${name}:${actionOf(argument)}`,
  );
}

function actionOf({ choices, isFile }: Pick<OptionNode, "choices" | "isFile">): string {
  if (choices.length > 0) return `(${choices.join(" ")})`;
  return isFile ? "_files" : " ";
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
