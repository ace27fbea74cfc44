import { isAbsolute, join } from "node:path";
import { parse } from "yaml";
import type { z } from "zod";
import { bare, knownNames } from "../../../base/text/known-names.ts";
import type { ConfigPath, Problem } from "../problem.ts";
import { childSchemas, hasMeta, optionsOf } from "../schema/walk.ts";
import { valueAt } from "../tree.ts";

type Schema = z.core.$ZodType;
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that sets one value. */
export interface Override {
  readonly name: string;
  readonly path: ConfigPath;
  readonly value: unknown;
}

const prefix = "ENGAGE_";
// The variable with the path of the configuration file, which the file itself cannot set.
const fileVariable = "ENGAGE_CONFIG";
// The variable with the key of a client, which is no setting of the server.
const keyVariable = "ENGAGE_KEY";
// The variable with the query token of a client.
const tokenVariable = "ENGAGE_TOKEN";
// The variable with the name of a client's profile.
const profileVariable = "ENGAGE_PROFILE";
const otherVariables: ReadonlySet<string> = new Set([
  fileVariable,
  keyVariable,
  tokenVariable,
  profileVariable,
]);
// Kubernetes and old Docker links set these variables for a service named "engage".
const serviceLink = /^ENGAGE_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)?)$/;

// The service variable that a user may confuse with the port to listen on.
const portVariable = "ENGAGE_PORT";
const linkValue = /^(tcp|udp|sctp):\/\//;

/** Returns the path of the file in `ENGAGE_CONFIG`, if any. */
export function configFileFrom(env: Environment): string | undefined {
  return env[fileVariable] || undefined;
}

/** Returns the bearer key in `ENGAGE_KEY`, for commands that call a running server. */
export function keyFrom(env: Environment): string | undefined {
  return env[keyVariable] || undefined;
}

/** Returns the query token in `ENGAGE_TOKEN`, for commands that query a running server. */
export function tokenFrom(env: Environment): string | undefined {
  return env[tokenVariable] || undefined;
}

/** Returns the profile in `ENGAGE_PROFILE`, for commands that call a running server. */
export function profileFrom(env: Environment): string | undefined {
  return env[profileVariable] || undefined;
}

/**
 * Returns the folder with the settings of a user: `engage` in `XDG_CONFIG_HOME`, or in `.config` of the home folder.
 * Relative paths in these variables are ignored, as the XDG specification demands.
 */
export function userFolderFrom(env: Environment): string | undefined {
  const { XDG_CONFIG_HOME: configs = "", HOME: home = "" } = env;
  if (isAbsolute(configs)) return join(configs, "engage");
  return isAbsolute(home) ? join(home, ".config", "engage") : undefined;
}

/** What the message says of a variable without a near name: the names of all fill pages. */
const allVariables = '"engage docs reference/configuration" lists all variables';

/**
 * Reads variables named `ENGAGE_` and a path, for example `ENGAGE_PARSER_DEAD_LETTERS_MAX_BYTES`. Elements of lists are
 * named by their index, named entries by their name in the file. The variable of a secret can be named `…_FILE` and
 * contain a path. An empty variable counts as not set. Sections come before the values in them.
 */
export function readEnvironment(
  schema: Schema,
  tree: unknown,
  env: Environment,
): { readonly overrides: readonly Override[]; readonly problems: readonly Problem[] } {
  const overrides: Override[] = [];
  const problems: Problem[] = [];
  for (const [name, text] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!name.toUpperCase().startsWith(prefix) || otherVariables.has(name) || !text) continue;
    if (serviceLink.test(name) && (name !== portVariable || linkValue.test(text))) continue;
    const problem = (message: string) => problems.push({ where: `environment ${name}`, path: "", message });
    if (!name.startsWith(prefix)) {
      problem(`sets nothing: names are in capitals, such as ${name.toUpperCase()}`);
      continue;
    }
    if (name === portVariable) {
      problem('sets nothing, set ENGAGE_LISTEN to host and port, for example "127.0.0.1:8080"');
      continue;
    }
    const words = name.slice(prefix.length).split("_");
    const secretFile =
      words.at(-1) === "FILE" ? targetsOf(schema, words.slice(0, -1), tree).find(isSecret) : undefined;
    const [target, ...others] = targetsOf(schema, words, tree);
    if (secretFile !== undefined) {
      overrides.push({ name, path: secretFile.path, value: { file: text } });
    } else if (target === undefined) {
      const known = [...otherVariables, ...environmentNames(schema, tree)];
      problem(`sets nothing, ${knownNames(name, known, { write: bare, all: allVariables })}`);
    } else if (others.length > 0) {
      problem("could mean several settings: set the section around them instead, as JSON or YAML");
    } else {
      const read = readText(text, target.schemas);
      if (read === undefined) problem("the value is neither valid JSON nor valid YAML");
      else overrides.push({ name, path: target.path, value: read.value });
    }
  }
  overrides.sort((a, b) => a.path.length - b.path.length);
  return { overrides, problems };
}

/** Returns the name of the variable that sets the value at a path. */
export function environmentNameOf(path: ConfigPath): string {
  return `${prefix}${path.flatMap((key) => wordsOf(String(key))).join("_")}`;
}

/** Splits a key into words: `deadLetters` into DEAD and LETTERS. */
function wordsOf(key: string): string[] {
  const spaced = key.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[^A-Za-z0-9]+/g, " ");
  return spaced.trim().toUpperCase().split(" ");
}

interface Target {
  readonly path: ConfigPath;
  readonly schemas: readonly Schema[];
}

function isSecret({ schemas }: Target): boolean {
  return schemas.some((schema) => hasMeta(schema, "secret"));
}

function targetsOf(root: Schema, words: readonly string[], tree: unknown): Target[] {
  const found = new Map<string, { path: ConfigPath; schemas: Schema[] }>();
  const search = (schema: Schema, rest: readonly string[], path: ConfigPath): void => {
    if (rest.length === 0) {
      const id = JSON.stringify(path);
      const target = found.get(id) ?? { path, schemas: [] };
      target.schemas.push(schema);
      found.set(id, target);
    } else {
      for (const [key, used] of childKeys(schema, rest, valueAt(tree, path))) {
        for (const child of childSchemas(schema, key)) search(child, rest.slice(used), [...path, key]);
      }
    }
  };
  search(root, words, []);
  return [...found.values()];
}

/** Returns the keys of a value that match the next words, with the number of matched words. */
function childKeys(
  schema: Schema,
  words: readonly string[],
  value: unknown,
): [key: string | number, used: number][] {
  const named = namedKeys(schema, value).flatMap((key): [string, number][] => {
    const own = wordsOf(key);
    return own.every((word, i) => word === words[i]) ? [[key, own.length]] : [];
  });
  // An index may name an element of the list or the position after its end.
  const length = Array.isArray(value) ? value.length : 0;
  const isList = optionsOf(schema).some((option) => option._zod.def.type === "array");
  const isIndex = isList && /^\d{1,6}$/.test(words[0]!) && Number(words[0]) <= length;
  return isIndex ? [...named, [Number(words[0]), 1]] : named;
}

function namedKeys(schema: Schema, value: unknown): string[] {
  const keys = optionsOf(schema).flatMap(({ _zod: { def } }) => {
    if (def.type === "object") return Object.keys(def.shape);
    return def.type === "record" && value !== null && typeof value === "object" ? Object.keys(value) : [];
  });
  return [...new Set(keys)];
}

/** Returns the names of all variables, given the lists and named entries of the file. */
export function environmentNames(schema: Schema, tree: unknown): string[] {
  const names = new Set<string>();
  const walk = (current: Schema, name: string, path: ConfigPath): void => {
    // The depth is limited, since schemas may contain themselves.
    if (path.length > 8) return;
    const value = valueAt(tree, path);
    const indexes = Array.isArray(value) ? value.map((_, i) => i) : [];
    for (const key of [...namedKeys(current, value), ...indexes]) {
      const own = `${name}${name === prefix ? "" : "_"}${wordsOf(String(key)).join("_")}`;
      for (const child of childSchemas(current, key)) {
        names.add(own);
        if (hasMeta(child, "secret")) names.add(`${own}_FILE`);
        walk(child, own, [...path, key]);
      }
    }
  };
  walk(schema, prefix, []);
  return [...names];
}

const textKinds = new Set(["string", "enum", "literal", "template_literal"]);
const scalarKinds = new Set(["number", "int", "boolean", "bigint", "null"]);

/**
 * Reads text as YAML, or unchanged where the setting is a text, so that a token `0123` or `yes` is preserved. A list of
 * texts may also be written with commas.
 */
function readText(text: string, schemas: readonly Schema[]): { readonly value: unknown } | undefined {
  const kinds = schemas.flatMap(optionsOf).map((option) => option._zod.def.type as string);
  const mayBeText = kinds.some((kind) => textKinds.has(kind));
  const mayBeScalar = kinds.some((kind) => scalarKinds.has(kind));
  const mayBeNested =
    kinds.some((kind) => !textKinds.has(kind)) || schemas.some((schema) => hasMeta(schema, "secret"));
  if (mayBeText && !mayBeScalar && !(mayBeNested && /^\s*[[{]/.test(text))) return { value: text };
  if (!mayBeText && !mayBeScalar && schemas.some(isTextList) && !/^\s*(\[|- )/.test(text)) {
    return { value: text.split(",").map((item) => item.trim()) };
  }
  try {
    return { value: parse(text, { prettyErrors: false, logLevel: "error" }) };
  } catch {
    // A pattern such as *.log is not valid YAML, but a text.
    return /^\s*[[{]/.test(text) ? undefined : { value: text };
  }
}

function isTextList(schema: Schema): boolean {
  const items = optionsOf(schema).flatMap(({ _zod: { def } }) =>
    def.type === "array" ? optionsOf(def.element) : [],
  );
  return items.length > 0 && items.every((item) => textKinds.has(item._zod.def.type));
}
