/** The fields of one line, in the order they stood in. Keys come from data: never read one without knowing it is own. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads a dotted path: a key that itself holds the dots wins (flattened JSON); a number selects from a list. */
export function readPath(fields: Fields, path: string): unknown {
  return Object.hasOwn(fields, path) ? fields[path] : walk(fields, path.split("."));
}

const isEnumerable = Object.prototype.propertyIsEnumerable;

/** Undefined when anything on the way is missing. */
export function walk(start: unknown, keys: readonly string[]): unknown {
  let value = start;
  for (const key of keys) {
    // Own and enumerable: neither what is inherited nor the length of a list.
    if (typeof value !== "object" || value === null || !isEnumerable.call(value, key)) return undefined;
    value = (value as Fields)[key];
  }
  return value;
}
