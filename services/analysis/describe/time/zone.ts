import { dayMs, hourMs } from "../../../../base/time/units.ts";
import { configuredZone, type Zone } from "../../../../base/time/zone.ts";
import type { ZoneStep } from "../../../../store/events/events.ts";

/** The zone of a query: what is added to an instant, from when on, to read the clock on the wall. */
export interface QueryZone {
  readonly steps: readonly ZoneStep[];
  /** The zone as results name it. */
  readonly name: { readonly offsetHours: number } | { readonly iana: string };
}

export const minOffsetHours = -12;
export const maxOffsetHours = 14;

export function zoneOfOffset(hours: number): QueryZone {
  // 0.1 h and the like have no exact number of milliseconds otherwise.
  const offsetMs = Math.round(hours * hourMs);
  return { steps: [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs }], name: { offsetHours: hours } };
}

/** @param zone an offset such as `+05:30`, or an IANA name */
export function zoneOfProject(zone: string): QueryZone {
  const { fixedMs, offsetAt } = configuredZone(zone);
  return fixedMs === undefined
    ? { steps: stepsOf(zone, offsetAt), name: { iana: zone } }
    : zoneOfOffset(fixedMs / hourMs);
}

// Times of properties may be long ago, or ahead.
const firstMs = Date.UTC(1970, 0, 1);
const lastMs = Date.UTC(2070, 0, 1);
// No zone has changed its offset and changed it back within less since 1970.
const strideMs = 7 * dayMs;
const known = new Map<string, readonly ZoneStep[]>();

/** Some 5,000 calls of Intl, 10 ms or so, once for each zone. */
function stepsOf(name: string, offsetAt: Zone["offsetAt"]): readonly ZoneStep[] {
  const found = known.get(name);
  if (found !== undefined) return found;
  const steps: ZoneStep[] = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: offsetAt(firstMs) }];
  for (let fromMs = firstMs; fromMs < lastMs; fromMs += strideMs) {
    const offsetMs = offsetAt(fromMs + strideMs);
    if (offsetMs === steps.at(-1)!.offsetMs) continue;
    steps.push({ fromMs: findChange(offsetAt, fromMs, fromMs + strideMs), offsetMs });
  }
  known.set(name, steps);
  return steps;
}

/** First whole second at which the offset is that of the end. */
function findChange(offsetAt: (instantMs: number) => number, fromMs: number, toMs: number): number {
  let [low, high] = [fromMs, toMs];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (offsetAt(middle) === offsetAt(toMs)) high = middle;
    else low = middle;
  }
  return high;
}

export function toLocal({ steps }: QueryZone, instantMs: number): number {
  return instantMs + steps.findLast(({ fromMs }) => instantMs >= fromMs)!.offsetMs;
}

/**
 * The first instant whose local time is not before this one: of a repeated hour the first, after a skipped one the end
 * of the gap.
 */
export function firstInstant(steps: readonly ZoneStep[], localMs: number): number {
  for (const [i, { fromMs, offsetMs }] of steps.entries()) {
    const instantMs = Math.max(fromMs, localMs - offsetMs);
    if (instantMs < (steps[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY)) return instantMs;
  }
  throw new RangeError("a zone needs a step");
}

/**
 * Returns the first instant after which no local time is before this one. A local
 * time in an hour that the clocks repeat is taken in the repetition.
 */
export function endInstant(steps: readonly ZoneStep[], localMs: number): number {
  for (let i = steps.length - 1; i >= 0; i--) {
    const { fromMs, offsetMs } = steps[i]!;
    if (localMs - offsetMs <= fromMs) continue;
    return Math.min(localMs - offsetMs, steps[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY);
  }
  throw new RangeError("a zone's first step must start at -Infinity");
}

/** The steps that matter to instants in [startMs, endMs). */
export function stepsWithin(steps: readonly ZoneStep[], startMs: number, endMs: number): readonly ZoneStep[] {
  const first = steps.findLastIndex(({ fromMs }) => fromMs <= startMs);
  const [head, ...rest] = steps.slice(first).filter(({ fromMs }) => fromMs < endMs);
  return [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: head!.offsetMs }, ...rest];
}
