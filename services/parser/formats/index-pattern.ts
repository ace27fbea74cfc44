import { RE2JS } from "re2js";
import type { ConfigPath, Problems } from "../mapping/problems.ts";
import { compileRe2 } from "./regex.ts";

export type MatchesIndex = (index: string) => boolean;

/** Longer indexes match nothing: no path or topic is longer, and the time of matching grows with the length. */
const maxIndexLength = 4096;

/**
 * Compiles `/RE2/` (searched anywhere) or a glob (`*` and `?` match no slash, `**` does; `[a-z]`, `[!a-z]`, `{a,b}`,
 * backslash). A glob without a slash is matched with the text after the last slash.
 */
export function compileIndexPattern(pattern: string, at: ConfigPath, problems: Problems): MatchesIndex {
  if (pattern.length > 2 && pattern.startsWith("/") && pattern.endsWith("/")) {
    const expression = compileRe2(pattern.slice(1, -1), at, problems);
    return (index) => expression !== undefined && index.length <= maxIndexLength && expression.test(index);
  }
  const source = globToRe2(pattern);
  if (source === undefined) {
    problems.add(
      at,
      `glob ${JSON.stringify(pattern)} has an unclosed "[" or "{", write a backslash before it`,
    );
    return () => false;
  }
  const compile = (): RE2JS | undefined => compileRe2(source, at, problems);
  // Only sets and nested groups can be invalid. Other globs are compiled on first use, since compiling takes
  // milliseconds.
  let expression = /[[{]/.test(pattern) ? compile() : null;
  const wholePath = pattern.includes("/");
  return (index) => {
    if (index.length > maxIndexLength) return false;
    if (expression === null) expression = compile();
    if (expression === undefined) return false;
    return expression.matches(wholePath ? index : index.slice(index.lastIndexOf("/") + 1));
  };
}

function globToRe2(glob: string): string | undefined {
  let source = "(?s)";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]!;
    if (char === "*") {
      const isDeep = glob[at + 1] === "*";
      // A slash after ** is part of it, so that a/**/b matches a/b too.
      const slash = isDeep && glob[at + 2] === "/" ? 1 : 0;
      source += isDeep ? (slash === 1 ? "(?:.*/)?" : ".*") : "[^/]*";
      at += isDeep ? 1 + slash : 0;
    } else if (char === "?") {
      source += "[^/]";
    } else if (char === "[") {
      const end = glob.indexOf("]", at + (glob[at + 1] === "!" || glob[at + 1] === "^" ? 3 : 2));
      if (end === -1) return undefined;
      source += classToRe2(glob.slice(at + 1, end));
      at = end;
    } else if (char === "{") {
      depth++;
      source += "(?:";
    } else if (depth > 0 && (char === "}" || char === ",")) {
      depth -= char === "}" ? 1 : 0;
      source += char === "}" ? ")" : "|";
    } else {
      if (char === "\\" && at + 1 < glob.length) at++;
      source += RE2JS.quote(glob[at]!);
    }
  }
  return depth === 0 ? source : undefined;
}

function classToRe2(inside: string): string {
  const negated = inside[0] === "!" || inside[0] === "^";
  const members = (negated ? inside.slice(1) : inside).replaceAll("\\", "\\\\").replaceAll("[", "\\[");
  return `[${negated ? "^/" : ""}${members.startsWith("]") || members.startsWith("^") ? "\\" : ""}${members}]`;
}
