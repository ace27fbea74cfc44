import { RE2JS, RE2JSException } from "re2js";
import { setKey } from "../../../base/json/raw-numbers.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { refuse } from "../line/line.ts";
import type { ConfigPath, Problems } from "../mapping/problems.ts";
import type { FormatConfigOf } from "./config.ts";
import type { FieldReader } from "./field-reader.ts";

/**
 * Longer lines are refused, in UTF-16 units. Matching takes linear time, but captures take up to 0.6 s for a line of
 * this length.
 */
const maxLength = 1_048_576;

/** Compiles RE2; reports a fault and returns undefined. */
export function compileRe2(pattern: string, at: ConfigPath, problems: Problems): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    problems.add(at, `bad regular expression ${quoteText(pattern)}: ${error.message}`);
    return undefined;
  }
}

/**
 * Reads the tables of upper and lower case, which the first expression with a letter does otherwise. They are so long
 * that V8 optimizes the loop that reads them.
 */
export function readCaseTables(): void {
  RE2JS.compile("a");
}

/** Reads the named groups of an RE2 expression, in linear time for all lines. */
export function createRegexReader(
  config: FormatConfigOf<"regex">,
  at: ConfigPath,
  problems: Problems,
): FieldReader {
  const path = [...at, "pattern"];
  const expression = compileRe2(config.pattern, path, problems);
  const groups = Object.entries(expression?.namedGroups() ?? {}) as [string, number][];
  if (expression === undefined) return { read: () => [], knownFields: undefined };
  if (groups.length === 0) problems.add(path, "no named group: write (?P<name>…) around each field");
  const read = (line: string) => {
    if (line.length > maxLength) {
      return refuse(
        "line_too_long",
        `a regular expression takes lines of up to ${maxLength} characters, got ${line.length}`,
      );
    }
    // The test without captures is 20 times as fast and refuses hostile lines.
    if (!expression.test(line)) return refuse("no_match", `${quoteText(line)} does not match`);
    const matcher = expression.matcher(line);
    matcher.find();
    const fields: Record<string, unknown> = {};
    for (const [name, number] of groups) {
      const value = matcher.group(number);
      if (value !== null && value !== undefined) setKey(fields, name, value);
    }
    return [fields];
  };
  return { read, knownFields: groups.map(([name]) => name) };
}
