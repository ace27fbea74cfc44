import type { ConfigPath } from "./problem.ts";

/** Returns the value at `path`, or undefined. */
export function valueAt(tree: unknown, path: ConfigPath): unknown {
  let value = tree;
  for (const key of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** Returns a copy of the tree with `value` at `path`. Missing sections are created. */
export function withValue(tree: unknown, path: ConfigPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(tree)) return replaceAt(tree, Number(key), withValue(tree[Number(key)], rest, value));
  if (tree === undefined || tree === null) {
    const child = withValue(undefined, rest, value);
    return typeof key === "number" ? [child] : { [key]: child };
  }
  // A text instead of a section is left as it is, and refused by the schema.
  if (typeof tree !== "object") return tree;
  return { ...tree, [key]: withValue((tree as Record<string, unknown>)[key], rest, value) };
}

function replaceAt(list: readonly unknown[], index: number, value: unknown): unknown[] {
  const copy = [...list];
  copy[index] = value;
  return copy;
}

/** Returns a copy of the tree without the values at these paths. Elements after a removed one move up. */
export function withoutPaths(tree: unknown, paths: readonly ConfigPath[]): unknown {
  if (paths.length === 0 || tree === null || typeof tree !== "object") return tree;
  const remaining = Object.entries(tree).flatMap(([key, value]): [string, unknown][] => {
    const below = paths.filter(([first]) => String(first) === key).map((path) => path.slice(1));
    return below.some((path) => path.length === 0) ? [] : [[key, withoutPaths(value, below)]];
  });
  return Array.isArray(tree) ? remaining.map(([, value]) => value) : Object.fromEntries(remaining);
}
