import type { CompiledScan, MeasureLayout } from "./layout.ts";
import { wordBits } from "./layout.ts";

/** One row of a result, with columns by index. Nulls are NaN. */
export interface RowReader {
  number(column: number): number;
  /** The number of elements of a list; 0 for null. */
  length(column: number): number;
  element(column: number, index: number): number;
}

/** Writes the numbers of one group and measure into `into` from index `at`: one per bucket. */
export type WriteCells = (row: RowReader, into: Float64Array, at: number) => void;

/** Returns how to read the cells of each measure of a scan. */
export function cellWriters(compiled: CompiledScan): readonly WriteCells[] {
  const place = (name: string) => compiled.columns.indexOf(name);
  return compiled.measures.map((layout) => {
    const write = stretchWriter(layout, place);
    return layout.combine === undefined ? write : windowWriter(layout, compiled, write);
  });
}

function stretchWriter({ cells, empty }: MeasureLayout, place: (name: string) => number): WriteCells {
  switch (cells.kind) {
    case "single": {
      const value = place(cells.value);
      return (row, into, at) => {
        into[at] = orEmpty(row.number(value), empty);
      };
    }
    case "dense": {
      const values = place(cells.values);
      return (row, into, at) => {
        for (let index = row.length(values) - 1; index >= 0; index--)
          into[at + index] = row.element(values, index);
      };
    }
    case "sparse": {
      const [places, values] = [place(cells.places), place(cells.values)];
      return (row, into, at) => {
        for (let index = row.length(places) - 1; index >= 0; index--) {
          into[at + row.element(places, index)] = orEmpty(row.element(values, index), empty);
        }
      };
    }
    case "words": {
      const [words, values] = [place(cells.words), place(cells.values)];
      return (row, into, at) => {
        for (let word = row.length(words) - 1; word >= 0; word--) {
          const first = row.element(words, word) * wordBits;
          for (let bit = 0; bit < wordBits; bit++) {
            const value = row.element(values, word * wordBits + bit);
            // The last word has more bits than there are buckets.
            if (value > 0) into[at + first + bit] = value;
          }
        }
      };
    }
  }
}

/** Combines stretches to windows. */
function windowWriter(
  { combine, empty, cells }: MeasureLayout,
  { windows = [] }: CompiledScan,
  write: WriteCells,
): WriteCells {
  const count = Math.max(0, ...windows.map(([, to]) => to));
  const stretches = new Float64Array(count);
  return (row, into, at) => {
    stretches.fill(cells.kind === "dense" ? 0 : empty);
    write(row, stretches, 0);
    for (const [index, [from, to]] of windows.entries()) {
      let value = empty;
      for (let stretch = from; stretch < to; stretch++) value = join(combine, value, stretches[stretch]!);
      into[at + index] = value;
    }
  };
}

function join(combine: MeasureLayout["combine"], a: number, b: number): number {
  if (Number.isNaN(b)) return a;
  if (Number.isNaN(a)) return b;
  if (combine === "add") return a + b;
  return combine === "min" ? Math.min(a, b) : Math.max(a, b);
}

export const orEmpty = (value: number, empty: number): number => (Number.isNaN(value) ? empty : value);
