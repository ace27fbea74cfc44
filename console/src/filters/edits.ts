import type { JsonTree } from "../controls/json-tree.ts";
import { type ColumnType, comparatorRule, comparatorsFor, fieldsOf } from "./rules.ts";
import {
  elementsAt,
  emptyObject,
  listTree,
  objectTree,
  type Place,
  textAt,
  textTree,
  withValue,
} from "./tree.ts";

/** @param table the word of the table that its column is first looked for in */
export function emptyFilter(table: string): JsonTree {
  return objectTree([
    ["columnName", textTree("")],
    ["tableType", textTree(table)],
    ["comparator", textTree("equal")],
    ["ftv", listTree([textTree("")])],
  ]);
}

export function emptyCompound(table: string): JsonTree {
  return objectTree([
    ["filterType", textTree("COMPOUND")],
    ["relation", textTree("or")],
    ["filts", listTree([emptyFilter(table)])],
  ]);
}

/** Returns a tree with a text at a place; an empty one removes the member. */
export function withText(tree: JsonTree, place: Place, text: string): JsonTree {
  return withValue(tree, place, text === "" ? undefined : textTree(text)) ?? emptyObject;
}

/** Changes the comparator of a filter, with as many literals as the new one takes. */
export function withComparator(tree: JsonTree, filter: Place, word: string): JsonTree {
  const rule = comparatorRule(word);
  const changed = withText(tree, [...filter, "comparator"], word);
  if (rule === undefined) return changed;
  const literals = elementsAt(tree, [...filter, "ftv"]);
  const count = rule.arity === "many" ? Math.max(1, literals.length) : fieldsOf(rule.arity);
  const kept = Array.from({ length: count }, (_, i) => literals[i] ?? textTree(""));
  const withLiterals = withValue(changed, [...filter, "ftv"], count === 0 ? undefined : listTree(kept))!;
  const unit = textAt(tree, [...filter, "timeUnit"]);
  return withText(withLiterals, [...filter, "timeUnit"], rule.hasUnit ? unit || "day" : "");
}

/** Gives a filter the first comparator that is valid for the type of its column, unless it has a valid one. */
export function withValidComparator(
  tree: JsonTree,
  filter: Place,
  type: ColumnType | undefined,
  hasEvent: boolean,
): JsonTree {
  const valid: readonly string[] = comparatorsFor(type, hasEvent);
  const word = textAt(tree, [...filter, "comparator"]);
  return valid.includes(word) || valid[0] === undefined ? tree : withComparator(tree, filter, valid[0]);
}

/** Reports whether a filter is a group of filters. */
export function isCompound(tree: JsonTree, filter: Place): boolean {
  return textAt(tree, [...filter, "filterType"]) === "COMPOUND";
}

/** Returns the places of the filters of an owner whose empty members mean that they are still being filled in. */
export function openFilters(tree: JsonTree, owner: Place): readonly string[] {
  return elementsAt(tree, [...owner, "filts"]).flatMap((_filter, i) => {
    const filter: Place = [...owner, "filts", i];
    if (isCompound(tree, filter)) return openFilters(tree, filter);
    const arity = comparatorRule(textAt(tree, [...filter, "comparator"]))?.arity ?? "none";
    const literals = Array.from({ length: fieldsOf(arity) }, (_, n): Place => [...filter, "ftv", n]);
    const needed: readonly Place[] = [[...filter, "columnName"], ...literals];
    return needed.filter((place) => textAt(tree, place).trim() === "").map(pathOf);
  });
}

/** Writes a place as the server's messages do: `eventView.filts[0].ftv[1]`. */
export function pathOf(place: Place): string {
  return place.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}
