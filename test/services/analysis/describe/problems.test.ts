import { expect, test } from "vitest";
import { createProblems } from "../../../../services/analysis/describe/problems.ts";

test("a query names the nearest only for its first unknown name where there are many long names", () => {
  const known = Array.from({ length: 5_000 }, (_, at) => `${at}`.padStart(50, "name"));
  const { hint } = createProblems();
  const hints = known.slice(0, 10).map((name) => hint(`${name}x`, () => known, "").split(' "')[0]);
  expect(hints).toEqual(["the nearest is", ...Array<string>(9).fill("valid are")]);
});
