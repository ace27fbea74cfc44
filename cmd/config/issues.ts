import type { z } from "zod";
import { bare, hintNearest, knownNames, listKnown } from "../../base/text/known-names.ts";
import { listNames } from "../../base/text/nearest.ts";
import { quote as quoteValue } from "../../base/text/quote.ts";
import type { ConfigPath } from "./problem.ts";
import { hasMeta, keysOf, optionsOf, schemasAt, touchesSecret } from "./schema/walk.ts";
import { valueAt } from "./tree.ts";

type Schema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

/** A fault at a path. `part` says whether the key or its value is wrong. */
export interface Finding {
  readonly path: ConfigPath;
  readonly message: string;
  readonly part: "key" | "value";
}

/** Marks an issue without its own message, to distinguish messages of a schema from those of the library. */
const noMessage = "\u0000";

/** Validates the tree and reports all faults in the service's own words. */
export function validate<S extends z.ZodType>(
  schema: S,
  tree: unknown,
): { readonly value: z.output<S> | undefined; readonly findings: readonly Finding[] } {
  // A schema is used once in the life of most processes, so compiling functions for it takes longer than it saves.
  const result = schema.safeParse(tree, { error: () => noMessage, jitless: true });
  if (result.success) return { value: result.data, findings: [] };
  const findings = result.error.issues.flatMap((issue) => describeIssue(schema, tree, issue, []));
  return { value: undefined, findings: findings.map((one) => ({ ...one, path: shorten(tree, one.path) })) };
}

/** Cuts a path after the first missing value, such as an item of a list that was created from one text. */
function shorten(tree: unknown, path: ConfigPath): ConfigPath {
  const missing = path.findIndex((_, i) => valueAt(tree, path.slice(0, i + 1)) === undefined);
  return missing === -1 ? path : path.slice(0, missing + 1);
}

function describeIssue(schema: Schema, tree: unknown, issue: Issue, base: ConfigPath): Finding[] {
  const path = [...base, ...(issue.path as (string | number)[])];
  const value = valueAt(tree, path);
  const finding = (message: string): Finding[] => [{ path, message, part: "value" }];
  const got = `got ${quote(schema, path, value)}`;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(schema, tree, path, key));
  if (issue.code === "invalid_key") {
    const reason = issue.issues.map(({ message }) => message).find((message) => message !== noMessage);
    return [
      {
        path,
        message: `${reason ?? "is not a valid name"}, got ${JSON.stringify(path.at(-1))}`,
        part: "key",
      },
    ];
  }
  if (issue.code === "invalid_union") return describeUnion(schema, tree, issue, path);
  if (issue.message !== noMessage) {
    const isExpectation = /^(must be|expected) /.test(issue.message) && value !== undefined;
    return finding(isExpectation ? `${issue.message}, ${got}` : issue.message);
  }
  if (value === undefined) return finding(`is required: give ${expectation(issue)}`);
  const isSecret = schemasAt(schema, path).some((one) => hasMeta(one, "secret"));
  const expected = `${expectation(issue)}${unitOf(issue, path)}`;
  const wanted = isSecret ? `${expected} or { file: PATH }` : expected;
  return finding(`${describeBound(issue) ?? `must be ${wanted}`}, ${got}`);
}

function unknownKey(schema: Schema, tree: unknown, section: ConfigPath, key: string): Finding {
  const present = valueAt(tree, section);
  const valid = [...new Set(schemasAt(schema, section).flatMap((one) => keysOf(one, present) ?? []))];
  const hint = knownNames(key, valid, { all: listKnown(valid, { write: bare }) });
  return { path: [...section, key], message: `unknown key ${JSON.stringify(key)}, ${hint}`, part: "key" };
}

function describeUnion(
  schema: Schema,
  tree: unknown,
  issue: z.core.$ZodIssueInvalidUnion,
  path: ConfigPath,
): Finding[] {
  const value = valueAt(tree, path);
  const got = `got ${quote(schema, path, value)}`;
  if ("options" in issue && Array.isArray(issue.options)) {
    return [{ path, message: choice(issue.options, value, got), part: "value" }];
  }
  // The most similar option is the one whose faults are nested deeper than the value itself.
  const inner = issue.errors.find((issues) => issues.every((one) => one.path.length > 0));
  if (inner !== undefined) return inner.flatMap((one) => describeIssue(schema, tree, one, path));
  const own = issue.errors
    .flat()
    .find((one) => one.path.length === 0 && one.message !== noMessage && one.code !== "invalid_type");
  if (own !== undefined) return describeIssue(schema, tree, own, path);
  const ways = [
    ...new Set(
      issue.errors
        .flat()
        .filter((one) => one.path.length === 0)
        .map(expectation),
    ),
  ];
  const all = ways.join(" or ");
  return [
    {
      path,
      message: value === undefined ? `is required: give ${all}` : `must be ${all}, ${got}`,
      part: "value",
    },
  ];
}

function choice(options: readonly unknown[], value: unknown, got: string): string {
  if (value === undefined) return `is required: give ${listNames(options)}`;
  const hint = typeof value === "string" ? hintNearest(value, options.map(String)) : "";
  return `must be ${listNames(options)}, ${got}${hint}`;
}

/** Describes the unit in the name of a setting, for users who have written another one. */
function unitOf(issue: Issue, path: ConfigPath): string {
  if (!/ number$/.test(expectation(issue))) return "";
  const name = String(path.at(-1));
  if (/Ms$/.test(name)) return " of milliseconds";
  return /[bB]ytes$/.test(name) ? " of bytes" : "";
}

/** Describes the expected value, to follow "must be" or "give". */
function expectation(issue: Issue): string {
  if (issue.code === "invalid_value") return listNames(issue.values);
  if (issue.code === "invalid_type") return kinds[issue.expected] ?? `a value of type ${issue.expected}`;
  if (issue.code === "invalid_format") return formats[issue.format] ?? `text in the form ${issue.format}`;
  return "a valid value";
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a section of keys",
  record: "a section of keys",
};

const formats: Readonly<Record<string, string>> = {
  safeint: "a whole number",
  datetime: 'a time with its zone such as "2026-01-31T23:59:59Z"',
};

function describeBound(issue: Issue): string | undefined {
  if (issue.code === "not_multiple_of") return `must be a multiple of ${issue.divisor}`;
  if (issue.code !== "too_small" && issue.code !== "too_big") return undefined;
  const isSmall = issue.code === "too_small";
  const bound = isSmall ? issue.minimum : issue.maximum;
  if (isSmall && issue.origin !== "number" && issue.origin !== "int" && Number(bound) === 1)
    return "must not be empty";
  const unit = { string: " characters", array: " elements" }[issue.origin as string] ?? "";
  const edge =
    issue.inclusive === false ? (isSmall ? "more than" : "less than") : isSmall ? "at least" : "at most";
  return `must be ${edge} ${bound}${unit}`;
}

/** Quotes the value for a message. Only its kind is quoted if it is, may be or may be meant as a secret. */
export function quote(schema: Schema, path: ConfigPath, value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a section of keys";
  const isHidden = touchesSecret(schema, path) || isMisplaced(schema, path);
  if (isHidden) return typeof value === "string" ? "text (not shown)" : `a ${typeof value} (not shown)`;
  return quoteValue(value);
}

/** Whether the path does not exist in the schema, so that the meaning of the value is unknown. */
function isMisplaced(schema: Schema, path: ConfigPath): boolean {
  return schemasAt(schema, path).flatMap(optionsOf).length === 0;
}
