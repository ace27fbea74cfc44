import { openArray, openObject } from "../../../base/json/bytes.ts";
import { JsonCursor, type JsonKind } from "../../../base/json/cursor.ts";
import { asBuffer, decodeString } from "../../../base/json/utf8.ts";

/** A value inside a JSON text, as a half-open byte range. */
export interface Located {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
  /** Whether a string contains a backslash. */
  readonly escaped: boolean;
}

/** The values to find, as a tree of keys; the key of an array item is its index. */
export interface PathTree {
  slot: number | undefined;
  readonly children: Map<string, PathTree>;
}

/** Compiles paths to a tree; slot `i` belongs to `paths[i]`. */
export function compilePaths(paths: readonly (readonly string[])[]): PathTree {
  const root: PathTree = { slot: undefined, children: new Map() };
  paths.forEach((path, slot) => {
    let node = root;
    for (const key of path) {
      const child = node.children.get(key) ?? { slot: undefined, children: new Map() };
      node.children.set(key, child);
      node = child;
    }
    node.slot = slot;
  });
  return root;
}

/** Greater than the depth of any accepted body. */
const maxDepth = 1_024;

/**
 * Finds values of an accepted message in one pass. Missing values are undefined. The last one of repeated keys counts.
 */
export function locate(json: Uint8Array, tree: PathTree, slots: number): readonly (Located | undefined)[] {
  const found = new Array<Located | undefined>(slots).fill(undefined);
  const cursor = new JsonCursor(json, maxDepth);
  cursor.next();
  walk(cursor, tree, found);
  return found;
}

function walk(cursor: JsonCursor, node: PathTree, found: (Located | undefined)[]): void {
  const start = cursor.at;
  const byte = cursor.bytes[start];
  let kind: JsonKind;
  if (node.children.size > 0 && byte === openObject) {
    kind = "object";
    for (let more = cursor.firstKey(); more; more = cursor.nextKey()) {
      const child = node.children.get(cursor.key());
      if (child === undefined) cursor.value();
      else {
        clear(child, found);
        walk(cursor, child, found);
      }
    }
  } else if (node.children.size > 0 && byte === openArray) {
    kind = "array";
    let index = 0;
    for (let more = cursor.firstItem(); more; more = cursor.nextItem(), index++) {
      const child = node.children.get(String(index));
      if (child === undefined) cursor.value();
      else walk(cursor, child, found);
    }
  } else {
    kind = cursor.value();
  }
  if (node.slot === undefined) return;
  found[node.slot] = { kind, start, end: cursor.at, escaped: kind === "string" && cursor.escaped };
}

function clear(node: PathTree, found: (Located | undefined)[]): void {
  if (node.slot !== undefined) found[node.slot] = undefined;
  for (const child of node.children.values()) clear(child, found);
}

/** Returns a value as text: a string without quotes and escapes, any other value as its JSON. */
export function textAt(json: Uint8Array, { kind, start, end, escaped }: Located): string {
  const bytes = asBuffer(json);
  return kind === "string"
    ? decodeString(bytes, start + 1, end - 1, escaped)
    : bytes.toString("utf8", start, end);
}

/** Returns the JSON of a value, byte for byte. */
export function jsonAt(json: Uint8Array, { start, end }: Located): string {
  return asBuffer(json).toString("utf8", start, end);
}
