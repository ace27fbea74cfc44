/**
 * A path template of `google.api.http`, as its documentation defines it:
 *
 *     Template = "/" Segments [ ":" Verb ]     Segments = Segment { "/" Segment }
 *     Segment  = "*" | "**" | Literal | Variable
 *     Variable = "{" FieldPath [ "=" Segments ] "}"
 *
 * `*` matches one segment that is not empty. `**` matches the rest of the path, which may be empty, and must be last.
 * A variable without a pattern has the pattern `*`.
 */
export interface PathTemplate {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly variables: readonly Variable[];
  /** The text after the colon at the end; empty if there is none. */
  readonly verb: string;
}

export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "one" }
  | { readonly kind: "rest" };

/** A part of the path that is bound to a field. */
export interface Variable {
  /** The path of the field, for example `["book", "name"]`. */
  readonly fieldPath: readonly string[];
  /** The index of its first segment. */
  readonly start: number;
  /** The index after its last segment; undefined if it takes all remaining segments. */
  readonly end: number | undefined;
  /** Whether its pattern has more than one segment, so that `%2F` stays encoded, see `readVariable`. */
  readonly multi: boolean;
}

/** Compiles a template. @throws Error with the template and its fault */
export function compileTemplate(text: string): PathTemplate {
  const fail = (problem: string): never => {
    throw new Error(`path template "${text}" ${problem}`);
  };
  if (!text.startsWith("/")) fail('does not start with "/"');
  if (/[?#\s%]/.test(text)) fail("contains one of ? # % or a space");
  const colon = text.lastIndexOf(":");
  const hasVerb = colon > Math.max(text.lastIndexOf("/"), text.lastIndexOf("}"));
  const verb = hasVerb ? text.slice(colon + 1) : "";
  if (hasVerb && verb === "") fail('has nothing after ":"');
  const segments: Segment[] = [];
  const variables: Variable[] = [];
  const parts = splitParts(text.slice(1, hasVerb ? colon : undefined));
  for (const part of parts) {
    if (part.startsWith("{")) {
      if (!part.endsWith("}")) fail(`has "${part}", which is not a whole variable`);
      const { fieldPath, inner } = parseVariable(part, fail);
      const start = segments.length;
      segments.push(...inner);
      const isRest = inner.at(-1)?.kind === "rest";
      variables.push({
        fieldPath,
        start,
        end: isRest ? undefined : segments.length,
        multi: inner.length > 1 || isRest,
      });
    } else segments.push(parseSegment(part, parts.length === 1, fail));
  }
  const rest = segments.findIndex((segment) => segment.kind === "rest");
  if (rest !== -1 && rest !== segments.length - 1) fail('has "**" before its end');
  const names = variables.map((variable) => variable.fieldPath.join("."));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) fail(`binds "${twice}" twice`);
  return { text, segments, variables, verb };
}

/** Splits a path at the slashes that are not within braces. */
function splitParts(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "{") depth++;
    else if (text[i] === "}") depth--;
    else if (text[i] === "/" && depth <= 0) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

type Fail = (problem: string) => never;

function parseVariable(
  part: string,
  fail: Fail,
): { fieldPath: readonly string[]; inner: readonly Segment[] } {
  const content = part.slice(1, -1);
  const equals = content.indexOf("=");
  const name = equals === -1 ? content : content.slice(0, equals);
  const pattern = equals === -1 ? "*" : content.slice(equals + 1);
  const fieldPath = name.split(".");
  if (!fieldPath.every((field) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(field))) {
    fail(`has "${part}", where "${name}" is not a field path`);
  }
  return { fieldPath, inner: pattern.split("/").map((segment) => parseSegment(segment, false, fail)) };
}

function parseSegment(text: string, isOnly: boolean, fail: Fail): Segment {
  if (text === "*") return { kind: "one" };
  if (text === "**") return { kind: "rest" };
  if (text === "" && !isOnly) fail("has an empty segment");
  if (/[{}*=]/.test(text)) fail(`has "${text}", which is neither a literal, "*", "**" nor a variable`);
  return { kind: "literal", text };
}

/**
 * Returns the value of a variable from the percent-encoded segments of a path. A single segment is fully decoded. In a
 * value of several segments, `%2F` stays encoded, since it would otherwise be a separator. Returns undefined if an
 * escape is malformed or not UTF-8.
 */
export function readVariable(variable: Variable, segments: readonly string[]): string | undefined {
  const { start, end, multi } = variable;
  const endIndex = end ?? segments.length;
  let raw = start < endIndex ? segments[start]! : "";
  for (let index = start + 1; index < endIndex; index++) raw += `/${segments[index]}`;
  if (!raw.includes("%")) return raw;
  if (!multi) return decode(raw);
  const pieces = raw.split(/(%2f)/i);
  const decoded = pieces.map((piece, i) => (i % 2 === 1 ? piece : decode(piece)));
  return decoded.includes(undefined) ? undefined : decoded.join("");
}

/** Decodes percent-encoding; returns undefined if it is malformed. */
export function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
