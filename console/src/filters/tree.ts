import type { JsonTree } from "../controls/json-tree.ts";

/** The way to a value: names of members and indexes of elements. */
export type Place = readonly (string | number)[];

export type Members = Extract<JsonTree, { readonly kind: "object" }>["members"];

export const emptyObject: JsonTree = { kind: "object", members: [] };

export function textTree(text: string): JsonTree {
  return { kind: "string", text };
}

/** @param text the digits, which may be more than a double has */
export function numberTree(text: string): JsonTree {
  return { kind: "number", text };
}

export function wordTree(value: boolean): JsonTree {
  return { kind: "word", text: String(value) };
}

export function listTree(elements: readonly JsonTree[]): JsonTree {
  return { kind: "array", elements };
}

export function objectTree(members: Members): JsonTree {
  return { kind: "object", members };
}

/** Objects of a query that a form shows; each has some controls, and thousands of them make a browser stand still. */
const maxShownObjects = 300;

/** Reports whether a query has so many metrics, conditions and groups that no form can show it. */
export function isTooLargeForForm(tree: JsonTree): boolean {
  let left = maxShownObjects;
  const spend = (value: JsonTree): boolean => {
    if (value.kind === "object") return --left < 0 || value.members.some(([, member]) => spend(member));
    return value.kind === "array" && value.elements.some(spend);
  };
  return spend(tree);
}

/** Returns the value at a place; the last of several members with one name counts, as it does for servers. */
export function valueAt(tree: JsonTree | undefined, place: Place): JsonTree | undefined {
  return place.reduce<JsonTree | undefined>(stepInto, tree);
}

function stepInto(tree: JsonTree | undefined, step: string | number): JsonTree | undefined {
  if (tree?.kind === "array") return typeof step === "number" ? tree.elements[step] : undefined;
  if (tree?.kind === "object") return tree.members.findLast(([name]) => name === step)?.[1];
  return undefined;
}

/** Returns the text of a scalar; null and what is missing are empty. */
export function textAt(tree: JsonTree | undefined, place: Place): string {
  const value = valueAt(tree, place);
  if (value === undefined || value.kind === "object" || value.kind === "array") return "";
  return value.kind === "word" && value.text === "null" ? "" : value.text;
}

/** Returns the elements of a list; none where there is no list. */
export function elementsAt(tree: JsonTree | undefined, place: Place): readonly JsonTree[] {
  const value = valueAt(tree, place);
  return value?.kind === "array" ? value.elements : [];
}

/**
 * Returns a tree with another value at a place, or without one. All other members stay as they are and where they are;
 * missing objects and lists on the way are made.
 */
export function withValue(
  tree: JsonTree | undefined,
  [step, ...rest]: Place,
  value: JsonTree | undefined,
): JsonTree | undefined {
  if (step === undefined) return value;
  const changed = withValue(stepInto(tree, step), rest, value);
  return typeof step === "number" ? withElement(tree, step, changed) : withMember(tree, step, changed);
}

function withMember(tree: JsonTree | undefined, name: string, value: JsonTree | undefined): JsonTree {
  const members = tree?.kind === "object" ? tree.members : [];
  const at = members.findLastIndex(([one]) => one === name);
  if (value === undefined) return objectTree(members.filter(([one]) => one !== name));
  if (at < 0) return objectTree([...members, [name, value]]);
  return objectTree(members.with(at, [name, value]));
}

function withElement(tree: JsonTree | undefined, index: number, value: JsonTree | undefined): JsonTree {
  const elements = tree?.kind === "array" ? tree.elements : [];
  if (value === undefined) return listTree(elements.toSpliced(index, 1));
  return listTree(index >= elements.length ? [...elements, value] : elements.with(index, value));
}

/** Writes a tree as JSON. @param indent spaces of each level; 0 for one line */
export function writeTree(tree: JsonTree, indent = 0, depth = 0): string {
  switch (tree.kind) {
    case "string":
      return JSON.stringify(tree.text);
    case "number":
    case "word":
      return tree.text;
    case "array":
      return writeParts(
        "[]",
        tree.elements.map((element) => writeTree(element, indent, depth + 1)),
        indent,
        depth,
      );
    case "object": {
      const colon = indent === 0 ? ":" : ": ";
      const parts = tree.members.map(
        ([name, value]) => `${JSON.stringify(name)}${colon}${writeTree(value, indent, depth + 1)}`,
      );
      return writeParts("{}", parts, indent, depth);
    }
  }
}

/** Shorter lists and objects stay on one line. */
const maxLineLength = 80;

function writeParts(brackets: string, parts: readonly string[], indent: number, depth: number): string {
  const [open, close] = [brackets[0]!, brackets[1]!];
  if (parts.length === 0) return brackets;
  if (indent === 0) return open + parts.join(",") + close;
  const line = `${open} ${parts.join(", ")} ${close}`;
  if (depth > 1 && line.length <= maxLineLength && !line.includes("\n")) return line;
  const [inner, outer] = [" ".repeat(indent * (depth + 1)), " ".repeat(indent * depth)];
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${outer}${close}`;
}
