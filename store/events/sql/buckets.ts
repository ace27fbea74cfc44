import { dayMs } from "../../../base/time/units.ts";
import type { Buckets, Scan, ZoneStep } from "../scan.ts";
import type { Dialect } from "./dialect.ts";
import { compileSteps } from "./expression/case-tree.ts";

/**
 * The stretches of local time between neighbouring edges. Each event is in at most one stretch; a
 * bucket is one stretch, and a window is several consecutive ones.
 */
export interface Stretches {
  readonly count: number;
  /** Ascending, in local ms; one more than there are stretches. */
  readonly edges: readonly number[];
  /** The stretches [from, to) of each bucket; undefined when bucket i is stretch i. */
  readonly windows: readonly (readonly [from: number, to: number])[] | undefined;
}

export function divideBuckets({ localEdges, windows }: Buckets): Stretches {
  if (windows === undefined) return { count: Math.max(0, localEdges.length - 1), edges: localEdges, windows };
  const edges = [...new Set(windows.flat())].sort((a, b) => a - b);
  const place = new Map(edges.map((edge, index) => [edge, index]));
  const spans = windows.map(([start, end]) => [place.get(start)!, place.get(Math.max(start, end))!] as const);
  return { count: Math.max(0, edges.length - 1), edges, windows: spans };
}

/** Returns the same scan with one bucket, over the shortest range which contains it. */
export function narrow(scan: Scan, bucket: number): Scan | undefined {
  const { buckets, zone } = scan;
  const { edges, windows, count } = divideBuckets(buckets);
  const [from, to] = windows?.[bucket] ?? [bucket, bucket + 1];
  const isKnown = windows === undefined ? bucket < count : bucket < windows.length;
  if (!isKnown || bucket < 0 || from >= to) return undefined;
  const [low, high] = [edges[from]!, edges[to]!];
  const offsets = zone.length === 0 ? [0] : zone.map(({ offsetMs }) => offsetMs);
  const startMs = Math.max(buckets.startMs, low - Math.max(...offsets));
  const endMs = Math.min(buckets.endMs, high - Math.min(...offsets));
  return startMs < endMs ? { ...scan, buckets: { startMs, endMs, localEdges: [low, high] } } : undefined;
}

/** Reports whether an instant of the range may be in no bucket. */
export function hasGaps(
  { startMs, endMs }: Buckets,
  stretches: Stretches,
  zone: readonly ZoneStep[],
): boolean {
  const { count, edges } = stretches;
  if (Array.from({ length: count }, (_, stretch) => isCovered(stretches, stretch)).includes(false))
    return true;
  const locals = zone.flatMap(({ fromMs, offsetMs }, index) => {
    const [low, high] = [Math.max(fromMs, startMs), Math.min(zone[index + 1]?.fromMs ?? Infinity, endMs)];
    return low < high ? [low + offsetMs, high + offsetMs] : [];
  });
  return count === 0 || Math.min(...locals) < edges[0]! || Math.max(...locals) > edges[count]!;
}

const isCovered = ({ windows }: Stretches, stretch: number): boolean =>
  windows?.some(([from, to]) => from <= stretch && stretch < to) ?? true;

/** Up to this many buckets, the bucket of a time is found by comparisons. */
const maxCompared = 8;

/** Reports whether stretches are even and so short that the stretch within a day is found by division. */
export function isFine({ edges, windows }: Stretches): boolean {
  const width = edges[1]! - edges[0]!;
  if (windows !== undefined || width * maxCompared > dayMs) return false;
  return edges.every((edge, index) => edge === edges[0]! + width * index);
}

/**
 * Returns the SQL for the stretch which contains an instant, an integer from 0, for events in [startMs,
 * endMs); null outside of all stretches. It is a constant where one stretch contains all events.
 */
export function compileBucket(
  instant: string,
  range: { readonly startMs: number; readonly endMs: number },
  {
    stretches,
    zone,
    dialect,
  }: { readonly stretches: Stretches; readonly zone: readonly ZoneStep[]; readonly dialect: Dialect },
): string {
  const steps = zone.filter(({ fromMs }, index) => {
    const untilMs = zone[index + 1]?.fromMs ?? Infinity;
    return fromMs < range.endMs && untilMs > range.startMs;
  });
  const parts = (steps.length === 0 ? [{ fromMs: -Infinity, offsetMs: 0 }] : steps).map(
    ({ fromMs, offsetMs }, index, all) => {
      const low = Math.max(fromMs, range.startMs);
      const high = Math.min(all[index + 1]?.fromMs ?? Infinity, range.endMs);
      return compileShifted(instant, [low + offsetMs, high - 1 + offsetMs], offsetMs, stretches, dialect);
    },
  );
  return compileSteps(
    instant,
    steps.slice(1).map(({ fromMs }) => String(fromMs)),
    (step) => parts[step]!,
  );
}

/** Compiles with one offset, for instants whose local times are in [low, high]. */
function compileShifted(
  instant: string,
  [low, high]: readonly [number, number],
  offsetMs: number,
  stretches: Stretches,
  dialect: Dialect,
): string {
  const { edges, count } = stretches;
  const [first, last] = [stretchAt(edges, low), stretchAt(edges, high)];
  const name = (stretch: number) =>
    stretch < 0 || stretch >= count || !isCovered(stretches, stretch) ? "NULL" : String(stretch);
  const inside = edges.slice(first + 1, last + 1);
  const width = edges[first + 1]! - edges[first]!;
  const isEven =
    first >= 0 &&
    last < count &&
    stretches.windows === undefined &&
    inside.every((edge, index) => edge === edges[first]! + width * (index + 1));
  if (!isEven || last - first < maxCompared) {
    const boundaries = inside.map((edge) => String(edge - offsetMs));
    return dialect.place(
      compileSteps(instant, boundaries, (step) => name(first + step)),
      count,
    );
  }
  const origin = edges[first]! - offsetMs;
  const divided = dialect.divideInteger(`(${instant} - ${origin})`, width, high - edges[first]!);
  return dialect.place(`${divided} + ${first}`, count);
}

/** Returns the stretch of a local time: -1 before the first edge; the number of stretches from the last edge on. */
function stretchAt(edges: readonly number[], local: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle]! <= local) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
