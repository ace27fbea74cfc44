import { expect, test } from "vitest";
import { placeInFormula } from "../../../console/src/pages/query/state/faults.ts";
import { readFormula } from "../../../services/analysis/describe/metric/formula.ts";
import { createProblems } from "../../../services/analysis/describe/problems.ts";

/** Marks the place of the fault that the server finds. */
function marked(formula: string): string {
  const problems = createProblems();
  readFormula(formula, "events[0].customEvent", problems);
  const { description } = problems.refusal!.violations[0]!;
  const span = placeInFormula(formula, description);
  if (span === undefined) return "nowhere";
  return `${formula.slice(0, span.start)}[${formula.slice(span.start, span.end)}]${formula.slice(span.end)}`;
}

test.each([
  ["a.SUM +", "a.SUM +[]"],
  ["(1 + 2  ", "(1 + 2[ ] "],
  ["1 + + 2", "1 + [+] 2"],
  ["2 (3)", "2 [(]3)"],
  ["1 + 2) * 3", "1 + 2[)] * 3"],
  ["😀.TOTAL_TIMES * * 2", "😀.TOTAL_TIMES * [*] 2"],
  ["a.TOTAL_TIMES / b.TIMES", "a.TOTAL_TIMES / [b.TIMES]"],
  ["login + 1", "[login] + 1"],
  ["1 - a.SUM", "1 - [a.SUM]"],
  ['x"y.NO + 1', '[x"y.NO] + 1'],
  ["(1) login.TOTAL_TIMES", "(1) [login.TOTAL_TIMES]"],
  ["", "nowhere"],
])("the fault of %j is at %s", (formula, expected) => expect(marked(formula)).toBe(expected));

test("a name within a formula is found too", () => {
  const description = '"level" is a text column, which can\'t be aggregated by SUM';
  expect(placeInFormula("2 * pay.level.SUM", description)).toEqual({ start: 8, end: 13 });
  expect(placeInFormula("2 * pay.price.SUM", description)).toBeUndefined();
});
