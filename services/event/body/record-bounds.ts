import { describeJsonExcess, findJsonExcess, type JsonBounds } from "../../../base/json/bounds.ts";
import type { RefusedRecord } from "../record/record.ts";
import { refuse } from "../record/refusal.ts";

/**
 * Of one record: it may have 1,000 values in 1,000 properties, lists of 500 and groups of 500 objects. What is beyond
 * all of that would be dropped, after it has been parsed at a price.
 */
const bounds: JsonBounds = {
  // Has a rule of its own where it matters.
  depth: Number.POSITIVE_INFINITY,
  members: 10_000,
  elements: 100_000,
  keys: 100_000,
  keyBytes: Number.POSITIVE_INFINITY,
  values: 200_000,
  longNumbers: 20_000,
};

/** A record that holds more than any honest one, before it is parsed. */
export function refuseLarge(bytes: Uint8Array): RefusedRecord | undefined {
  const excess = findJsonExcess(bytes, bounds);
  return excess && refuse("too_large", "", `record is too large, ${describeJsonExcess(excess)}`);
}
