import type { SpoolPlace } from "../../../store/events/events.ts";

/** Compares two places of the spool: negative if `a` is before `b`, 0 if they are equal. */
export function comparePlaces(a: SpoolPlace, b: SpoolPlace): number {
  return a.number - b.number || a.offset - b.offset;
}
