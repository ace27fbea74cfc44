import type { JsonBounds } from "../../../base/json/bounds.ts";

/**
 * What the body of a query may hold. Queries have some kilobytes; the longest
 * have conditions with lists of thousands of literals.
 */
export const queryBounds: JsonBounds = {
  depth: 256,
  members: 10_000,
  elements: 100_000,
  keys: 100_000,
  keyBytes: 1_024,
  values: 500_000,
  longNumbers: 100_000,
};
