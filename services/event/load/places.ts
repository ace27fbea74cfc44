import type { SpoolPlace } from "../../../store/events/events.ts";

/** Below 0 when the first comes before the second, 0 when they are the same. */
export function comparePlaces(a: SpoolPlace, b: SpoolPlace): number {
  return a.number - b.number || a.offset - b.offset;
}
