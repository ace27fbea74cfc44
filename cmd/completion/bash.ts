import { type CommandNode, listCommands, type OptionNode } from "./tree.ts";

/** Writes the completion of bash, for version 3.2 and later. */
export function writeBash(root: CommandNode): string {
  const all = listCommands(root);
  const named = all.filter(({ path }) => path !== "");
  return `# Completion of engage for bash. To load it: source <(engage completion bash)
_engage() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" i
  # Readline makes words of its own of the sign in --option=value.
  if [[ $current == "=" ]]; then current=""; fi
  if [[ $previous == "=" ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${path:+$path }\${COMP_WORDS[i]}" in
      ${named.map(({ path }) => quote(path)).join("|")}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  local IFS=$'\\n'
  case "$path $previous" in
${all.flatMap(valueCases).join("\n")}
  esac
  case "$path" in
${all.map(wordCase).join("\n")}
  esac
}

_engage_words() {
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_engage_files() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}

complete -F _engage engage
`;
}

/** Completes the values of the options of a command. */
function valueCases({ path, options }: CommandNode): readonly string[] {
  return options
    .filter(({ value }) => value !== undefined)
    .map((option) => {
      const patterns = option.names.map((name) => quote(`${path} ${name}`)).join("|");
      return `    ${patterns}) ${completeValue(option)} ;;`;
    });
}

function completeValue({ choices, isFile, isVariadic }: OptionNode): string {
  if (choices.length > 0) return `_engage_words ${words(choices)} "$current"; return`;
  if (isFile) return '_engage_files "$current"; return';
  // After the values of a variadic option other words may follow, which have no completion here.
  return isVariadic ? "if [[ $current != -* ]]; then return; fi" : "return";
}

/** Completes what follows a command: its commands, its options after a dash, and its arguments. */
function wordCase(command: CommandNode): string {
  const { path, commands, options } = command;
  const flags = words(options.flatMap(({ names }) => names));
  const choices = [...commands.map(({ name }) => name), ...command.arguments.flatMap((one) => one.choices)];
  const isFile = command.arguments.some((one) => one.isFile);
  const other =
    isFile && choices.length === 0
      ? '_engage_files "$current"'
      : `_engage_words ${words(choices)} "$current"`;
  return `    ${quote(path)}) if [[ $current == -* ]]; then _engage_words ${flags} "$current"; else ${other}; fi ;;`;
}

const words = (list: readonly string[]): string =>
  `$'${list.map((word) => word.replace(/[\\']/g, "\\$&")).join("\\n")}'`;

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
