import { quoteText } from "../../../base/text/quote.ts";
import type { ConfigProblem } from "../mapping/problems.ts";

/** The three texts that frame a batch: between items, between INDEX and DATA, between records of one item. */
export interface Separators {
  readonly item: string;
  readonly index: string;
  readonly record: string;
}

/** The part of the parser section that names the separators. */
export interface SeparatorConfig {
  readonly separator: string;
  readonly indexSeparator: string;
  readonly recordSeparator: string;
}

const defaultSeparator = "::";

export function separatorsOf(config: SeparatorConfig): Separators {
  return { item: config.separator, index: config.indexSeparator, record: config.recordSeparator };
}

/**
 * Finds separators that JSON itself contains, so that escaping cannot keep the number of items. The schema refuses
 * empty separators and those contained in another.
 */
export function checkSeparators(config: SeparatorConfig): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const key of ["separator", "indexSeparator", "recordSeparator"] as const) {
    const message = faultOf(config[key], key !== "indexSeparator");
    if (message !== undefined)
      problems.push({ path: [key], message: `${quoteText(config[key])} ${message}` });
  }
  const { separator, indexSeparator } = config;
  if (overlappingHeads(separator).some((head) => `${head.repeat(9)}${separator}`.includes(indexSeparator))) {
    const message = `${quoteText(indexSeparator)} can occur in a run of overlapping separators ${quoteText(separator)}`;
    problems.push({ path: ["indexSeparator"], message });
  }
  return problems;
}

/**
 * Returns the beginnings of a separator that can precede an overlapping occurrence of it: `:` for `::`, `:ta` for
 * `:ta:`.
 */
export function overlappingHeads(separator: string): string[] {
  const heads: string[] = [];
  for (let length = 1; length < separator.length; length++) {
    if (separator.startsWith(separator.slice(length))) heads.push(separator.slice(0, length));
  }
  return heads;
}

/**
 * Finds a separator at or after an offset; returns −1 when there is none. V8 searches for the first character, and JSON
 * has many colons: searching for `ta:` and comparing the colon before it finds `:ta:` in a quarter of the time.
 */
export function compileFind(separator: string): (text: string, from: number) => number {
  const skipped = Math.max(0, separator.search(/[^":,{}[\]]/));
  if (skipped === 0) return (text, from) => text.indexOf(separator, from);
  const tail = separator.slice(skipped);
  return (text, from) => {
    for (let at = from + skipped; ; at++) {
      at = text.indexOf(tail, at);
      if (at < 0) return -1;
      if (text.startsWith(separator, at - skipped)) return at - skipped;
    }
  };
}

/**
 * Reports whether JSON of one line can have this separator only within a string literal, so that none overlaps the end
 * of an object.
 */
export function isOnlyInLiterals(separator: string): boolean {
  return faultOf(separator, true) === undefined && !separator.includes("}");
}

/** Returns warnings for the log at start-up. */
export function separatorWarnings(config: SeparatorConfig): string[] {
  if (config.separator !== defaultSeparator) return [];
  return [
    `parser.separator is the default ${quoteText(defaultSeparator)}, which occurs in ordinary data (2001:db8::1, std::vector): set it to ":ta:" here and at the caller`,
  ];
}

function faultOf(separator: string, isInResponses: boolean): string | undefined {
  if (!separator.isWellFormed()) return "contains half a surrogate pair, which UTF-8 cannot encode";
  if (!isInResponses) return undefined;
  if (/["\\]/.test(separator)) return "contains a quote or a backslash, which JSON uses itself";
  if (isJsonStructure(separator)) return "can occur in JSON outside of strings, where it can't be escaped";
  return undefined;
}

/**
 * Characters that may follow each other in compact JSON outside of strings. Quotes are not listed: no separator has
 * one.
 */
const followers: readonly (readonly [string, RegExp])[] = [
  ["{", /[}]/],
  ["[", /[[{\]\-0-9tfn]/],
  ["}]", /[}\],]/],
  [":", /[[{\-0-9tfn]/],
  [",", /[[{\-0-9tfn]/],
  ["-", /[0-9]/],
  ["+", /[0-9]/],
  [".", /[0-9]/],
  ["0123456789", /[0-9.eE+\-\]},]/],
  ["E", /[-+0-9]/],
  ["e", /[-+0-9\]},]/],
  ["t", /r/],
  ["r", /u/],
  ["u", /[el]/],
  ["f", /a/],
  ["a", /l/],
  ["l", /[sl\]},]/],
  ["s", /e/],
  ["n", /u/],
];

function isJsonStructure(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const next = followers.find(([characters]) => characters.includes(text.charAt(i)))?.[1];
    if (next === undefined) return false;
    if (i + 1 < text.length && !next.test(text.charAt(i + 1))) return false;
  }
  return true;
}
