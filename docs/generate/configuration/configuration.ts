import { formatPath } from "../../../cmd/config/problem.ts";
import { isPartlyReloaded, isReloaded, restartRules } from "../../../cmd/serve/reload/settings.ts";
import { code, pageHead, table } from "../markdown.ts";
import {
  exampleOf,
  formatSettingPath,
  isSection,
  listSections,
  type Node,
  type Section,
  type Setting,
  variableOf,
} from "./settings.ts";

const introduction = `
The server reads \`engage.yaml\` in the working folder, or the file in \`--config\` or \`ENGAGE_CONFIG\`.
\`engage config --check\` lists all errors with line numbers, \`engage config --print\` shows the values in effect and
where each comes from, and \`engage config --schema\` prints the JSON Schema, with which editors show the texts of this
page.

- Every setting can also come from the environment, by the variable in the tables. \`0\` in a variable is the index in
  a list, \`NAME\` the name of an entry in capitals. Lists and sections are written as JSON or YAML; a list of texts may
  be written with commas.
- A secret can be in a file of its own, as \`{ file: path }\`, or in the environment by the variable with \`_FILE\` at its
  end. Secrets are never printed.
- A relative path starts at the folder of the configuration file, one of the environment at the working folder.
- The last column says when a change takes effect: \`reload\` at SIGHUP, \`restart\` when the server starts again
  ([why](#settings-that-need-a-restart)).
- \`[]\` stands for each element of a list, \`NAME\` for each named entry. Sizes are in bytes, times in milliseconds.
`;

const restartIntroduction = `
At SIGHUP a server [reads its configuration again](../operations.md#reload). A setting with \`reload\` in the last
column changes then, and so does the file that it names. One with \`restart\` changes when the server is started the
next time; until then the log names it at each reload.
`.trim();

/** Writes the reference of all settings. */
export function writeConfiguration(): string {
  const sections = listSections();
  return [
    pageHead("Configuration", introduction),
    "## Sections\n",
    `${sections.map(({ path }) => `- ${linkTo(path)}`).join("\n")}\n- [Settings that need a restart](#settings-that-need-a-restart)\n`,
    ...sections.map(formatSection),
    formatRestartRules(),
  ].join("\n");
}

function linkTo(path: readonly string[]): string {
  const title = titleOf(path);
  return `[${title}](#${title.toLowerCase().replace(/[^a-z0-9_-]/g, "")})`;
}

function titleOf(path: readonly string[]): string {
  return path.length === 0 ? "engage.yaml" : formatSettingPath(path);
}

function formatSection({ path, text, settings }: Section): string {
  const rows = settings.map((setting) => [
    `${code(setting.path.at(-1)!)}<br>${code(variableOf(setting.path))}`,
    meaningOf(setting),
    valuesOf(setting.node),
    defaultOf(setting),
    isSection(setting.node) ? "" : code(JSON.stringify(exampleOf(setting.node))),
    effectOf(setting),
  ]);
  return [
    `## ${titleOf(path)}\n`,
    ...(text === "" ? [] : [`${text}\n`]),
    table(["Setting", "Meaning", "Values", "Default", "Example", "Change"], rows),
  ].join("\n");
}

/** Says when a change of the setting takes effect. Of a section whose settings differ, their own rows say it. */
function effectOf({ path }: Setting): string {
  if (isReloaded(path)) return "reload";
  return isPartlyReloaded(path) ? "" : "restart";
}

function formatRestartRules(): string {
  const rows = restartRules.map(({ paths, reason }) => [
    paths.map((path) => code(formatPath(path))).join(", "),
    reason,
  ]);
  return [
    "## Settings that need a restart\n",
    `${restartIntroduction}\n`,
    table(["Settings", "Why"], rows),
  ].join("\n");
}

function meaningOf({ path, node, kinds, otherKinds }: Setting): string {
  const inside = sectionOf(node, path);
  return `${node.description ?? ""}${noteOf(kinds, otherKinds)}${inside === undefined ? "" : ` See ${linkTo(inside)}.`}`;
}

/** Names the kinds that have a setting, or those that do not if they are fewer. */
function noteOf(kinds: readonly string[], others: readonly string[]): string {
  if (others.length === 0) return "";
  return others.length < kinds.length
    ? ` Not for ${others.map(code).join(", ")}.`
    : ` For ${kinds.map(code).join(", ")}.`;
}

/** Returns the path of the section that describes the value. */
function sectionOf(node: Node, path: readonly string[]): readonly string[] | undefined {
  if (!isSection(node)) return undefined;
  if (node.properties !== undefined || node.oneOf !== undefined) return path;
  if (node.items !== undefined) return sectionOf(node.items, [...path, "[]"]);
  if (typeof node.additionalProperties === "object")
    return sectionOf(node.additionalProperties, [...path, "NAME"]);
  return path;
}

function defaultOf({ node, isRequired }: Setting): string {
  if (isRequired) return "required";
  return node.default === undefined || isSection(node) ? "" : code(JSON.stringify(node.default));
}

/** The bounds of numbers that JavaScript represents exactly, which are no limits of a setting. */
const widest = Number.MAX_SAFE_INTEGER;

/** Describes the valid values of a setting. */
function valuesOf(node: Node): string {
  if (node.secret === true) return "secret";
  if (node.path === true) return "path";
  if (node.const !== undefined) return code(String(node.const));
  if (node.enum !== undefined) return node.enum.map((value) => code(String(value))).join(", ");
  const choices = node.anyOf ?? node.oneOf;
  if (choices !== undefined && node.type === undefined) {
    return isSection(node) ? "section" : [...new Set(choices.map(valuesOf))].join(" or ");
  }
  switch (node.type) {
    case "boolean":
      return "`true`, `false`";
    case "integer":
      return `whole number${rangeOf(node)}`;
    case "number":
      return `number${rangeOf(node)}`;
    case "string":
      return "text";
    case "array":
      return `list of ${isSection(node) ? "sections" : valuesOf(node.items ?? {})}`;
    case "object":
      return node.properties === undefined ? entriesOf(node) : "section";
    default:
      return "any JSON value";
  }
}

function entriesOf({ additionalProperties }: Node): string {
  return typeof additionalProperties === "object" && isSection(additionalProperties)
    ? "named sections"
    : "names with values";
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: Node): string {
  const least = minimum === undefined || minimum <= -widest ? undefined : minimum;
  const most = maximum === undefined || maximum >= widest ? undefined : maximum;
  if (exclusiveMinimum !== undefined)
    return `, more than ${exclusiveMinimum}${most === undefined ? "" : `, at most ${most}`}`;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (least !== undefined) return `, at least ${least}`;
  return most === undefined ? "" : `, at most ${most}`;
}
