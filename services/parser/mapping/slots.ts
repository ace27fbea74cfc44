import { walk } from "./path.ts";

/** The values of the fields that a mapping reads, by number. */
export type Slots = readonly unknown[];

export type GetValue = (slots: Slots) => unknown;

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
  if (inside.length === 0) return (slots) => slots[whole];
  const outer = table.numberOf(first);
  return (slots) => slots[whole] ?? walk(slots[outer], inside);
}
