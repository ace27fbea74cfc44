import { describeJsonExcess, findJsonExcess, type JsonBounds } from "../../../base/json/bounds.ts";
import { type RefusedRecord, refuse } from "../record/record.ts";

/**
 * Limits of one record. A record may have 1,000 values, lists of 500 and groups of 500 objects; more would be dropped
 * after it was parsed at a cost.
 */
const bounds: JsonBounds = {
  // Another rule limits the depth.
  depth: Number.POSITIVE_INFINITY,
  members: 10_000,
  elements: 100_000,
  keys: 100_000,
  keyBytes: Number.POSITIVE_INFINITY,
  values: 200_000,
  longNumbers: 20_000,
};

/** Refuses a record that exceeds the limits, before it is parsed. */
export function refuseLarge(bytes: Uint8Array): RefusedRecord | undefined {
  const excess = findJsonExcess(bytes, bounds);
  return excess && refuse("too_large", "", `record is too large, ${describeJsonExcess(excess)}`);
}
