import { walk } from "./path.ts";

/** The values of a line by their place; 0 is the place of what is missing and always undefined. */
export type Values = readonly unknown[];

/** The place in a line of each field that the mapping reads, by the field's number. */
export type Places = readonly number[];

export type GetValue = (values: Values, places: Places) => unknown;

/** Gives the fields that a mapping reads their numbers. */
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

/** Reader of a dotted path; see readPath. */
export function compilePath(path: string, table: SlotTable): GetValue {
  const whole = table.numberOf(path);
  const [first, ...inside] = path.split(".") as [string, ...string[]];
  if (inside.length === 0) return (values, places) => values[places[whole]!];
  const outer = table.numberOf(first);
  return (values, places) => values[places[whole]!] ?? walk(values[places[outer]!], inside);
}
