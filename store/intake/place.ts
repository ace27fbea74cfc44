import type { IntakePlace } from "./intake.ts";

/** File numbers stay below 2^21 and offsets below 2^32, so a place fits a whole number. */
const offsets = 2 ** 32;

/** Returns a place as one number. Places compare as their numbers. Undefined is before all places. */
export function seqOf(place: IntakePlace | undefined): number {
  return place === undefined ? 0 : place.number * offsets + place.offset;
}

export function placeOf(seq: number): IntakePlace {
  return { number: Math.floor(seq / offsets), offset: seq % offsets };
}
