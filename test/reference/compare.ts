import type { Answer, Result } from "./subject.ts";

const tolerance = 1e-9;

/** Where two answers first differ, in words; undefined when they are the same. */
export function findDifference(expected: Answer, got: Answer): string | undefined {
  return (
    differ("x", expected.x, got.x) ??
    differ("x_compared", expected.xCompared, got.xCompared) ??
    differ("results", expected.results.map(keyOf).sort(), got.results.map(keyOf).sort()) ??
    sortResults(expected)
      .map((result, at) => differResult(result, sortResults(got)[at]!))
      .find((difference) => difference !== undefined) ??
    differ("union_group_num", expected.unionGroupNum, got.unionGroupNum) ??
    differ("union_groups", sortTexts(expected.unionGroups), sortTexts(got.unionGroups))
  );
}

function keyOf({ index, split, groupNum }: Result): string {
  return JSON.stringify([index, split === undefined ? "not split" : [split], `${groupNum} groups`]);
}

function sortResults({ results }: Answer): readonly Result[] {
  return [...results].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function sortTexts(values: readonly unknown[]): readonly string[] {
  return values.map((value) => JSON.stringify(value)).sort();
}

function differResult(expected: Result, got: Result): string | undefined {
  const path = `y ${keyOf(expected)}`;
  const cols = (result: Result) => result.groups.map((group) => group.cols);
  return (
    differ(`${path} groups`, cols(expected), cols(got)) ??
    expected.groups
      .map(
        ({ cols: group, values, compared }, at) =>
          differNumbers(`${path} ${JSON.stringify(group)} values`, values, got.groups[at]!.values) ??
          differNumbers(
            `${path} ${JSON.stringify(group)} values_compared`,
            compared ?? [],
            got.groups[at]!.compared ?? [],
          ),
      )
      .find((difference) => difference !== undefined)
  );
}

function differ(path: string, expected: unknown, got: unknown): string | undefined {
  const [left, right] = [JSON.stringify(expected), JSON.stringify(got)];
  return left === right ? undefined : `${path}: expected ${left}, got ${right}`;
}

function differNumbers(
  path: string,
  expected: readonly (number | null)[],
  got: readonly (number | null)[],
): string | undefined {
  const same = expected.length === got.length && expected.every((number, at) => isClose(number, got[at]!));
  return same ? undefined : differ(path, expected, got);
}

/** Of sums in another order only the last digits differ. */
function isClose(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return a === b || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}
