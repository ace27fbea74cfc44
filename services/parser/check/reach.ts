import { quoteText } from "../../../base/text/quote.ts";
import type { FormatConfig } from "../formats/config.ts";
import { compileIndexPattern, type MatchesIndex } from "../formats/index-pattern.ts";
import { type ConfigProblem, createProblems } from "../mapping/problems.ts";

interface Earlier {
  readonly name: string;
  readonly pattern: string;
  readonly matches: MatchesIndex;
}

/** Finds patterns of formats that no line reaches, since an earlier pattern matches everything that they match. */
export function checkReach(formats: readonly FormatConfig[]): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const earlier: Earlier[] = [];
  for (const [index, { name, index: patterns }] of formats.entries()) {
    for (const [at, pattern] of patterns.entries()) {
      const taker = findCovering(pattern, earlier);
      if (taker !== undefined) {
        const who = taker.name === name ? "of this format" : `of the format ${quoteText(taker.name)}`;
        const message = `${quoteText(pattern)} is never reached: ${quoteText(taker.pattern)} ${who} matches everything that it matches; move it before that one or remove it`;
        problems.push({ path: ["formats", index, "index", at], message });
      }
      // Invalid patterns match nothing; opening the formats reports them.
      earlier.push({ name, pattern, matches: compileIndexPattern(pattern, [], createProblems()) });
    }
  }
  return problems;
}

/** Names of files and topics that have little in common: a pattern that matches all of them matches everything. */
const unlikeNames = [
  "",
  "a",
  "Z9",
  "app.log",
  "/var/log/x/error_log.1",
  "topic-1",
  "日志",
  "a b",
  "..",
  "%!~",
];

/**
 * Returns an earlier pattern that matches everything that this one matches; combinations of patterns are not
 * considered.
 */
function findCovering(pattern: string, earlier: readonly Earlier[]): Earlier | undefined {
  const same = earlier.find((one) => one.pattern === pattern);
  if (same !== undefined) return same;
  const names = isExpression(pattern) ? [] : examplesOf(pattern);
  const isOpen = /[*?]/.test(pattern);
  return earlier.find((one) => {
    if (unlikeNames.every(one.matches)) return true;
    // Examples are reliable for globs, but not for expressions.
    return names.length > 0 && !(isOpen && isExpression(one.pattern)) && names.every(one.matches);
  });
}

function isExpression(pattern: string): boolean {
  return pattern.length > 2 && pattern.startsWith("/") && pattern.endsWith("/");
}

/** Texts for a wildcard, chosen so that no narrower glob matches all of them. */
const wildcardTexts = ["", "x", "0-_9.q", "日 志", "%!~", "Z", ..."0123456789abcdefghij"];

/** Returns names that a glob matches and that differ as much as possible; none for a glob with sets or groups. */
function examplesOf(glob: string): readonly string[] {
  if (/[[\]{}\\]/.test(glob)) return [];
  const names = wildcardTexts.map((filling) =>
    glob
      .replaceAll(/\*\*\/?/g, (found) => (found.endsWith("/") ? `${filling}/` : `${filling}/${filling}`))
      .replaceAll("*", filling)
      .replaceAll("?", filling.at(-1) ?? "q"),
  );
  // A glob without a slash is matched with the last segment, so any folder may precede it.
  return glob.includes("/") ? names : [...names, ...names.map((name) => `/var/log/${name}`)];
}
