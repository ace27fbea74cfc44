/** The fields of one line, in the order they stood in. Keys come from data: never read one without knowing it is own. */
export type Fields = Readonly<Record<string, unknown>>;

export type GetField = (fields: Fields) => unknown;

/**
 * Reader of a dotted path. A key that itself holds the dots wins (flattened JSON); a number selects from a list.
 * Undefined when anything on the way is missing.
 */
export function compilePath(path: string): GetField {
  // Only names that every object inherits need the slower check.
  const direct: GetField =
    path in Object.prototype
      ? (fields) => (Object.hasOwn(fields, path) ? fields[path] : undefined)
      : (fields) => fields[path];
  if (!path.includes(".")) return direct;
  const keys = path.split(".");
  return (fields) => direct(fields) ?? walk(fields, keys);
}

function walk(fields: Fields, keys: readonly string[]): unknown {
  let value: unknown = fields;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Fields)[key];
  }
  return value;
}
