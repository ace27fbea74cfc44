/** The fields of one line, in their order. Keys come from data: read only own keys. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a dotted path: a key that contains the dots itself takes precedence (flattened JSON); a number selects an
 * element of a list.
 */
export function readPath(fields: Fields, path: string): unknown {
  return Object.hasOwn(fields, path) ? fields[path] : readKeys(fields, path.split("."));
}

const isEnumerable = Object.prototype.propertyIsEnumerable;

/** Returns undefined when any key is missing. */
export function readKeys(start: unknown, keys: readonly string[]): unknown {
  let value = start;
  for (const key of keys) {
    // The key must be an own and enumerable one, not an inherited one or the length of a list.
    if (typeof value !== "object" || value === null || !isEnumerable.call(value, key)) return undefined;
    value = (value as Fields)[key];
  }
  return value;
}

/** The values of a line by their place. Place 0 stands for missing fields and is always undefined. */
export type Values = readonly unknown[];

/** The place in a line of each field that the mapping reads, by the number of the field. */
export type Places = readonly number[];

export type GetValue = (values: Values, places: Places) => unknown;

/** Assigns numbers to the fields that a mapping reads. */
export interface SlotTable {
  readonly names: readonly string[];
  readonly numberOf: (name: string) => number;
}

export function createSlotTable(): SlotTable {
  const names: string[] = [];
  const numberOf = (name: string) => {
    const known = names.indexOf(name);
    return known === -1 ? names.push(name) - 1 : known;
  };
  return { names, numberOf };
}

/** Compiles a dotted path; see readPath. */
export function compilePath(path: string, table: SlotTable): GetValue {
  const whole = table.numberOf(path);
  const [first, ...inside] = path.split(".") as [string, ...string[]];
  if (inside.length === 0) return (values, places) => values[places[whole]!];
  const outer = table.numberOf(first);
  return (values, places) => values[places[whole]!] ?? readKeys(values[places[outer]!], inside);
}
