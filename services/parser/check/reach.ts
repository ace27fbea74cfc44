import { quoteText } from "../../../base/text/quote.ts";
import type { FormatConfig } from "../formats/config.ts";
import { compileIndexPattern, type MatchesIndex } from "../formats/index-pattern.ts";
import { type ConfigProblem, createProblems } from "../mapping/problems.ts";

interface Earlier {
  readonly name: string;
  readonly pattern: string;
  readonly matches: MatchesIndex;
}

/** Patterns of formats that no line reaches, since an earlier pattern takes all that they match. */
export function checkReach(formats: readonly FormatConfig[]): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const earlier: Earlier[] = [];
  for (const [index, { name, index: patterns }] of formats.entries()) {
    for (const [at, pattern] of patterns.entries()) {
      const taker = takerOf(pattern, earlier);
      if (taker !== undefined) {
        const who = taker.name === name ? "of this format" : `of the format ${quoteText(taker.name)}`;
        const message = `${quoteText(pattern)} is never reached: ${quoteText(taker.pattern)} ${who} matches everything that it matches; move it before that one or remove it`;
        problems.push({ path: ["formats", index, "index", at], message });
      }
      // Patterns that are not valid match nothing; opening the formats reports them.
      earlier.push({ name, pattern, matches: compileIndexPattern(pattern, [], createProblems()) });
    }
  }
  return problems;
}

/** Names of files and topics that have little in common: what matches all of them matches everything. */
const anyNames = ["", "a", "Z9", "app.log", "/var/log/x/error_log.1", "topic-1", "日志", "a b", "..", "%!~"];

/** The one earlier pattern that matches whatever this one matches; several together are not looked for. */
function takerOf(pattern: string, earlier: readonly Earlier[]): Earlier | undefined {
  const same = earlier.find((one) => one.pattern === pattern);
  if (same !== undefined) return same;
  const names = isExpression(pattern) ? [] : examplesOf(pattern);
  const isOpen = /[*?]/.test(pattern);
  return earlier.find((one) => {
    if (anyNames.every(one.matches)) return true;
    // Examples say what a glob matches, but little of an expression.
    return names.length > 0 && !(isOpen && isExpression(one.pattern)) && names.every(one.matches);
  });
}

function isExpression(pattern: string): boolean {
  return pattern.length > 2 && pattern.startsWith("/") && pattern.endsWith("/");
}

/** What stands for a wildcard: nothing, and texts of which a glob for some names matches not all. */
const fillings = ["", "x", "0-_9.q", "日 志", "%!~", "Z", ..."0123456789abcdefghij"];

/** Examples of a glob that differ as far as it lets them; none for one with sets or groups, which say less. */
function examplesOf(glob: string): readonly string[] {
  if (/[[\]{}\\]/.test(glob)) return [];
  const names = fillings.map((filling) =>
    glob
      .replaceAll(/\*\*\/?/g, (found) => (found.endsWith("/") ? `${filling}/` : `${filling}/${filling}`))
      .replaceAll("*", filling)
      .replaceAll("?", filling.at(-1) ?? "q"),
  );
  // Without a slash it is held against the last segment, so that any folder may stand before it.
  return glob.includes("/") ? names : [...names, ...names.map((name) => `/var/log/${name}`)];
}
