import type { CompiledKey } from "../keys.ts";
import type { Statement } from "../parameters.ts";

/**
 * Where the numbers of one measure are in a row, which is one group. All are
 * columns by name; a value that is null is none.
 */
export interface MeasureLayout {
  /** Over the whole range; undefined when it wasn't asked for. */
  readonly total: string | undefined;
  readonly cells: CellLayout;
  /** How stretches make up the windows that are the buckets; undefined when cells are of buckets. */
  readonly combine: "add" | "min" | "max" | undefined;
  /** What stands where there is nothing. */
  readonly empty: number;
}

export type CellLayout =
  /** The one bucket's value. */
  | { readonly kind: "single"; readonly value: string }
  /** A list with a value for each bucket. */
  | { readonly kind: "dense"; readonly values: string }
  /** A list of places, and one with the value of each. */
  | { readonly kind: "sparse"; readonly places: string; readonly values: string }
  /** A list of words, and one with `wordBits` values for each. */
  | { readonly kind: "words"; readonly words: string; readonly values: string };

/** Bits of a mask that fit into an integer of 64 with a sign. */
export const wordBits = 63;

/** A query that answers a row per group: a column per key, then those of the measures. */
export interface CompiledScan extends Statement {
  readonly keys: readonly CompiledKey[];
  readonly columns: readonly string[];
  readonly measures: readonly MeasureLayout[];
  readonly bucketCount: number;
  /** Of each bucket the places [from, to) that `combine` puts together. */
  readonly windows: readonly (readonly [from: number, to: number])[] | undefined;
}

/** Some columns of the answer, from one pass over the events. Has a row for each group that it met. */
export interface Part {
  readonly sql: string;
  readonly columns: readonly string[];
}
