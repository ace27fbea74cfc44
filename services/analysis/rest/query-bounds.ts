import type { JsonBounds } from "../../../base/json/bounds.ts";

/**
 * What the body of a query may hold. Queries have some kilobytes; the longest
 * have conditions with lists of thousands of literals. All conditions together
 * have at most 50,000 (`queryLimits`), so a body of many more values is refused
 * before it is parsed, which would hold the event loop for tenths of a second.
 */
export const queryBounds: JsonBounds = {
  depth: 256,
  members: 10_000,
  elements: 100_000,
  keys: 100_000,
  keyBytes: 1_024,
  values: 150_000,
  longNumbers: 100_000,
};
