import { parseDocument, stringify } from "yaml";
import { checkFormats } from "../../../services/parser/check/check.ts";
import { type ParserConfig, parserConfigSchema } from "../../../services/parser/config.ts";
import type { FormatConfig } from "../../../services/parser/formats/config.ts";
import { validate } from "../../config/issues.ts";
import { type ConfigPath, formatPath, type Problem } from "../../config/problem.ts";
import { dropEmptySections } from "../../config/schema/walk.ts";
import { type ConfigSource, parseConfigSource } from "../../config/source.ts";

/** A `parser` section that was given as text. */
export interface InlineFormats {
  readonly config: ParserConfig;
  /** The part of a configuration file with these formats. */
  readonly configuration: string;
  /** Likely mistakes. */
  readonly warnings: readonly Problem[];
  /** Returns the place of an error that is found later. */
  locate(path: ConfigPath, message: string): Problem;
}

/** The ways to write formats: what is around the text in a configuration file. */
type Form = "document" | "section" | "list" | "format";

/**
 * Reads formats as they are written in a configuration file, with its schema and its errors. Reads no file.
 * @param configured the section whose separators and limits are used where the text has none
 * @returns the formats, or all problems; `where` of a problem is `line:column`
 */
export function readInlineFormats(
  text: string,
  configured: ParserConfig,
): InlineFormats | readonly Problem[] {
  const source = parseConfigSource("", text);
  if (source.problems.length > 0) return source.problems.map(withoutFile);
  const form = formOf(source.tree);
  if (form === undefined) return [withoutFile(problemOfRoot(source))];
  const locate = createLocate(source, form);
  const section = sectionOf(source.tree, form);
  const refused = [...findOtherSections(source.tree, form, source), ...findModules(section, locate)];
  if (refused.length > 0) return refused;
  const { separator, indexSeparator, recordSeparator, maxLineBytes } = configured;
  const defaults = { separator, indexSeparator, recordSeparator, maxLineBytes };
  const tree = isObject(section) ? { ...defaults, ...section } : section;
  const { value: config, findings } = validate(
    parserConfigSchema,
    dropEmptySections(parserConfigSchema, tree),
  );
  if (config === undefined) return findings.map(({ path, message, part }) => locate(path, message, part));
  const mistakes = checkFormats(config).map(({ path, message }) => locate(path, message));
  return {
    config,
    configuration: inDocument(text, form),
    warnings: [...source.lostKeys.map(withoutFile), ...mistakes],
    locate,
  };
}

/** Returns the part of a configuration file with configured formats, with all their settings. */
export function printFormats(formats: readonly FormatConfig[]): string {
  return stringify({ parser: { formats } }, { lineWidth: 0, aliasDuplicateObjects: false });
}

type Tree = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function formOf(tree: unknown): Form | undefined {
  if (Array.isArray(tree)) return "list";
  if (!isObject(tree)) return undefined;
  if (Object.hasOwn(tree, "parser")) return "document";
  return Object.hasOwn(tree, "formats") ? "section" : "format";
}

function sectionOf(tree: unknown, form: Form): unknown {
  if (form === "document") return (tree as Tree)["parser"] ?? {};
  if (form === "section") return tree;
  return { formats: form === "list" ? tree : [tree] };
}

/** Returns the path in the text of a path in the section. */
function placeOf(path: ConfigPath, form: Form): ConfigPath {
  if (form === "document") return ["parser", ...path];
  if (form === "section") return path;
  return path.slice(form === "list" ? 1 : 2);
}

type Locate = (path: ConfigPath, message: string, part?: "key" | "value") => Problem;

function createLocate(source: ConfigSource, form: Form): Locate {
  return (path, message, part) => {
    const { line, col } = source.place(placeOf(path, form), part);
    return { where: `${line}:${col}`, path: formatPath(["parser", ...path]), message };
  };
}

function withoutFile(problem: Problem): Problem {
  return { ...problem, where: problem.where.replace(/^:/, "") };
}

function problemOfRoot(source: ConfigSource): Problem {
  const { line, col } = source.place([]);
  const message = "must be a format, a list of formats, a parser section or a document with this section";
  return { where: `${line}:${col}`, path: "", message };
}

function findOtherSections(tree: unknown, form: Form, source: ConfigSource): Problem[] {
  if (form !== "document") return [];
  const others = Object.keys(tree as Tree).filter((key) => key !== "parser");
  return others.map((key) => {
    const { line, col } = source.place([key], "key");
    const message = `unknown key ${JSON.stringify(key)}, the only valid key here is parser`;
    return { where: `${line}:${col}`, path: formatPath([key]), message };
  });
}

/** Modules are code, which only the operator may choose. */
function findModules(section: unknown, locate: Locate): Problem[] {
  const formats = isObject(section) ? section["formats"] : undefined;
  if (!Array.isArray(formats)) return [];
  return formats.flatMap((format: unknown, index) => {
    if (!isObject(format) || format["type"] !== "module") return [];
    const message = 'must not be "module": a module is code, which runs only if it is configured';
    return [locate(["formats", index, "type"], message)];
  });
}

/** Puts the text into a document, with its comments. */
function inDocument(text: string, form: Form): string {
  if (form === "document") return text;
  const document = parseDocument(text);
  const root = document.contents;
  const formats = form === "list" ? root : [root];
  document.contents = document.createNode({ parser: form === "section" ? root : { formats } }) as never;
  return document.toString({ lineWidth: 0 });
}
