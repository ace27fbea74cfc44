import {
  keyOf,
  type ReferenceAnswer,
  type ReferenceGroup,
  type ReferenceResult,
  unionOf,
} from "./analyze.ts";
import type { Answer, Result } from "./subject.ts";

const tolerance = 1e-13;

/** Where two answers first differ, in words; undefined when they are the same. */
export function findDifference(expected: ReferenceAnswer, got: Answer): string | undefined {
  return (
    differ("x", expected.x, got.x) ??
    differ("x_compared", expected.xCompared, got.xCompared) ??
    differ("results", expected.results.map(nameOf).sort(), got.results.map(nameOf).sort()) ??
    sortResults(expected.results)
      .map((result, at) => differResult(result, sortResults(got.results)[at]!))
      .find((difference) => difference !== undefined) ??
    differ("union_group_num", expected.unionGroupNum, got.unionGroupNum) ??
    differUnion(expected, got)
  );
}

/** Compares the returned groups: which of two equal ones comes last may depend on the order of a sum. */
function differUnion(expected: ReferenceAnswer, got: Answer): string | undefined {
  const isUngrouped = expected.unionGroups.every((cols) => cols.length === 0);
  if (isUngrouped) return differ("union_groups", expected.unionGroups, got.unionGroups);
  const groups = unionOf(got.results.map((result) => result.groups));
  return differ("union_groups", sortTexts(groups), sortTexts(got.unionGroups));
}

function nameOf({ index, split, groupNum }: Result): string {
  return JSON.stringify([index, split === undefined ? "not split" : [split], `${groupNum} groups`]);
}

function sortResults<R extends Result>(results: readonly R[]): readonly R[] {
  return [...results].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function sortTexts(values: readonly unknown[]): readonly string[] {
  return values.map((value) => JSON.stringify(value)).sort();
}

function differResult(expected: ReferenceResult, got: Result): string | undefined {
  const path = `y ${nameOf(expected)}`;
  const cols = (result: Result) => result.groups.map((group) => group.cols);
  if (!isRanked(expected, got)) return differ(`${path} groups`, cols(expected), cols(got));
  const groups = new Map(expected.allGroups.map((group) => [keyOf(group.cols), group]));
  return got.groups
    .map(({ cols: group, values, compared }) => {
      const own = groups.get(keyOf(group))!;
      const name = `${path} ${JSON.stringify(group)}`;
      return (
        differNumbers(`${name} values`, own.values, values) ??
        differNumbers(`${name} values_compared`, own.compared ?? [], compared ?? [])
      );
    })
    .find((difference) => difference !== undefined);
}

/** Reports whether each group has its due rank. Groups with nearly equal totals may change places. */
function isRanked(expected: ReferenceResult, got: Result): boolean {
  const ties = tiesOf(expected.allGroups);
  const keys = got.groups.map(({ cols }) => keyOf(cols));
  return (
    keys.length === expected.groups.length &&
    new Set(keys).size === keys.length &&
    expected.groups.every(({ cols }, rank) => {
      const own = keyOf(cols);
      return keys[rank] === own || ties.get(keys[rank]!) === (ties.get(own) ?? -1);
    })
  );
}

/** A number for each run of groups whose order depends on how sums were rounded. */
function tiesOf(ranked: readonly ReferenceGroup[]): ReadonlyMap<string, number> {
  const runs: ReferenceGroup[][] = [];
  for (const group of ranked) {
    const run = runs.at(-1);
    if (run !== undefined && isClose(run.at(-1)!.total, group.total)) run.push(group);
    else runs.push([group]);
  }
  const rounded = runs.filter((run) => !run.every(({ total }) => total === run[0]!.total && isExact(total)));
  return new Map(rounded.flatMap((run, tie) => run.map(({ cols }) => [keyOf(cols), tie])));
}

function isExact(total: number): boolean {
  return total === -Infinity || Number.isSafeInteger(total);
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

/** Sums of what are no decimal numbers, such as computed values, may differ in the last digits. */
function isClose(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return a === b || Math.abs(a - b) < tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}
