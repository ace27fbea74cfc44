import type { CompiledKey } from "../keys.ts";
import type { Statement } from "../parameters.ts";
import type { Stage } from "../stages.ts";

/**
 * The columns of the numbers of one measure in a row, which is one group. All are columns by name; null
 * means no value.
 */
export interface MeasureLayout {
  /** The column over the whole range; undefined when it was not requested. */
  readonly total: string | undefined;
  readonly cells: CellLayout;
  /** How stretches are combined to the windows which are the buckets; undefined when cells are buckets. */
  readonly combine: "add" | "min" | "max" | undefined;
  /** The number for a cell without events. */
  readonly empty: number;
}

export type CellLayout =
  /** The value of the only bucket. */
  | { readonly kind: "single"; readonly value: string }
  /** A list with a value for each bucket. */
  | { readonly kind: "dense"; readonly values: string }
  /** A list of bucket indexes, and one with the value of each. */
  | { readonly kind: "sparse"; readonly places: string; readonly values: string }
  /** A list of words, and one with `wordBits` values for each. */
  | { readonly kind: "words"; readonly words: string; readonly values: string };

/** Reports whether a column of a measure holds lists; totals are numbers. */
export const isListColumn = (name: string): boolean => !name.startsWith("t");

/** The bits of a mask in a signed integer of 64 bits. */
export const wordBits = 63;

/** A query with a row per group: a column per key, then those of the measures. */
export interface CompiledScan extends Statement {
  readonly keys: readonly CompiledKey[];
  readonly columns: readonly string[];
  readonly measures: readonly MeasureLayout[];
  readonly bucketCount: number;
  /** The statements that each shard runs, whose rows this statement reads; empty for one shard. */
  readonly stages: readonly Stage[];
  /** The stretches [from, to) of each bucket that `combine` applies to. */
  readonly windows: readonly (readonly [from: number, to: number])[] | undefined;
}

/** Some columns of the result, from one pass over the events, with a row for each group in it. */
export interface Part {
  readonly sql: string;
  readonly columns: readonly string[];
}
