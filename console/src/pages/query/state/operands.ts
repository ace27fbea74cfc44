import type { JsonTree } from "../../../controls/json-tree.ts";
import {
  elementsAt,
  listTree,
  numberTree,
  objectTree,
  type Place,
  textAt,
  textTree,
  withValue,
} from "../../../filters/tree.ts";

// A name is all text up to the next operator, and what is no number.
const part =
  /\s*(?:([-+*/()])|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?=\s*(?:[-+*/()]|$))|([^-+*/()]+))/gy;

/** Returns the operands of a formula in their order, by which their options are numbered. */
export function operandsOf(formula: string): readonly string[] {
  return [...formula.trim().matchAll(part)].flatMap(([, , , name]) =>
    name === undefined ? [] : [name.trim()],
  );
}

/** The lists of a metric that have an entry for each operand. */
export type OperandList = "customFilters" | "quotaEntities" | "quotaTimeRanges";

/** Returns the place of the entry of an operand; the end of the list where there is none. */
export function entryOf(tree: JsonTree, metric: Place, list: OperandList, operand: number): Place {
  const place: Place = [...metric, list];
  const entries = elementsAt(tree, place);
  const at = entries.findIndex((entry) => textAt(entry, ["index"]) === String(operand));
  return [...place, at < 0 ? entries.length : at];
}

/** Numbers the entry at a place, which a change may have made. */
export function withIndex(tree: JsonTree, entry: Place, operand: number): JsonTree {
  return withValue(tree, [...entry, "index"], numberTree(String(operand)))!;
}

/** Removes the entry at a place, and a list that has no others. */
function without(tree: JsonTree, entry: Place): JsonTree {
  const list = entry.slice(0, -1);
  const changed = withValue(tree, entry, undefined)!;
  return elementsAt(changed, list).length === 0 ? withValue(changed, list, undefined)! : changed;
}

/** Changes what an operand counts as a user; empty for users. */
export function withCounted(tree: JsonTree, metric: Place, operand: number, column: string): JsonTree {
  const entry = entryOf(tree, metric, "quotaEntities", operand);
  if (column === "") return without(tree, entry);
  const table = textAt(tree, [...entry, "taIdMeasure", "tableType"]) || "event";
  const named = withValue(
    withIndex(tree, entry, operand),
    [...entry, "taIdMeasure", "columnName"],
    textTree(column),
  )!;
  return withValue(named, [...entry, "taIdMeasure", "tableType"], textTree(table))!;
}

/** Changes the window of an operand; an empty word is the bucket itself. */
export function withWindow(
  tree: JsonTree,
  metric: Place,
  operand: number,
  word: string,
  parameters: number,
): JsonTree {
  const entry = entryOf(tree, metric, "quotaTimeRanges", operand);
  if (word === "") return without(tree, entry);
  const window = objectTree([
    ["index", numberTree(String(operand))],
    ["type", textTree(word)],
    ["params", listTree(Array.from({ length: parameters }, (_, i) => textTree(i === 0 ? "7" : "0")))],
  ]);
  return withValue(tree, entry, window)!;
}
