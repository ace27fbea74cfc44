import type { CommandNode } from "../../../cmd/completion/tree.ts";
import { block, code, pageHead, table } from "../markdown.ts";
import { commandsOfEngage, fullName, sentence } from "./program.ts";

const introduction = `
\`engage COMMAND --help\` shows the same texts. The folder [man](../man/) has them as manual pages, which
\`npm install --global\` installs, and \`engage completion\` prints the completion of bash, zsh and fish.

Commands that read the configuration take \`--config\`; without it they read \`$ENGAGE_CONFIG\`, \`./engage.yaml\`, or the
demo's. Commands that call a server take the first of \`--url\`, the profile of \`--profile\` or \`$ENGAGE_PROFILE\`, the
configured address, and, without a configuration, the profile in use. \`engage profile\` stores profiles. A key comes from
\`--key-file\`, the profile or \`$ENGAGE_KEY\`, and a query token from \`--token\`, the profile or \`$ENGAGE_TOKEN\`.

Results go to standard output; progress, notes and warnings to standard error, unless \`--quiet\` is given. With \`--json\`
results are JSON, and the last line of standard error is, after an error, an object such as
\`{"error":{"code":"not_found","message":"…","exit_code":1}}\`. The code is \`usage\`, \`configuration\`, \`failed\`,
\`stopped\`, \`system\`, \`internal\`, or that of the refused call; \`violations\` name its wrong fields, and \`problems\`
those of a configuration.
`;

/** Writes the reference of all commands and options. */
export function writeCommandLine(): string {
  const [root, ...commands] = commandsOfEngage();
  const rows = commands
    .filter((command) => command.commands.length === 0)
    .map((command) => [linkTo(command), sentence(command.description)]);
  return [
    pageHead("Command line", introduction),
    "## Commands\n",
    table(["Command", "Meaning"], rows),
    ...[root!, ...commands].map(formatCommand),
  ].join("\n");
}

function linkTo(command: CommandNode): string {
  const name = fullName(command);
  return `[${code(name)}](#${name.replaceAll(" ", "-")})`;
}

function formatCommand(command: CommandNode): string {
  const { usage, description, options, commands, notes } = command;
  const parts = [`## ${fullName(command)}\n`, `${sentence(description)}\n`, block("text", usage)];
  if (commands.length > 0) {
    const rows = commands.map((child) => [linkTo(child), sentence(child.description)]);
    parts.push(table(["Command", "Meaning"], rows));
  }
  if (command.arguments.length > 0) {
    const rows = command.arguments.map(({ name, description, choices, isRequired, isVariadic }) => [
      code(`${name}${isVariadic ? "…" : ""}`),
      `${sentence(description)}${choices.length > 0 ? ` One of ${choices.map(code).join(", ")}.` : ""}`,
      isRequired ? "yes" : "no",
    ]);
    parts.push(table(["Argument", "Meaning", "Required"], rows));
  }
  parts.push(
    table(
      ["Option", "Meaning"],
      options.map(({ flags, description: text }) => [code(flags), sentence(text)]),
    ),
  );
  if (notes !== "") parts.push(block("text", notes));
  return parts.join("\n");
}
