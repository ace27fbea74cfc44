import { formatDate } from "../../../../base/time/local-time.ts";
import { TimeParticleSize } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { Buckets } from "../../../../store/events/events.ts";
import { queryLimits } from "../limits.ts";
import type { Problems } from "../problems.ts";
import {
  type CalendarUnit,
  estimateCount,
  floorTo,
  labelOfUnit,
  nextAfter,
  type WeekStart,
} from "./calendar.ts";
import type { LocalRange } from "./range.ts";
import { endInstant, firstInstant, type QueryZone } from "./zone.ts";

/** One step of the x axis. */
export interface PlannedBucket {
  readonly label: string;
  /** Local times within the range; the end is excluded. */
  readonly local: LocalRange;
  /** First instant, and first instant after it. */
  readonly startMs: number;
  readonly endMs: number;
}

/** A range with its steps: that of the query or the compared one. */
export interface Period extends Pick<Steps, "unit" | "weekStart"> {
  readonly range: LocalRange;
  /** Instants; the end is excluded. */
  readonly startMs: number;
  readonly endMs: number;
  readonly buckets: readonly PlannedBucket[];
}

export interface Steps {
  readonly unit: TimeParticleSize;
  readonly weekStart: WeekStart;
  readonly zone: QueryZone;
}

/** Plans a period; returns undefined when it was refused. @param field path of the step, for the refusal of too many */
export function planPeriod(
  range: LocalRange,
  { unit, weekStart, zone }: Steps,
  field: string,
  problems: Problems,
): Period | undefined {
  if (unit !== TimeParticleSize.TOTAL) {
    const count = estimateCount(unit as CalendarUnit, range.startMs, range.endMs);
    if (count > queryLimits.buckets) {
      problems.refuse(field, undefined, tooMany(count));
      return undefined;
    }
  }
  const stretches = listSteps(range, unit, weekStart);
  const buckets = stretches
    .map(({ label, local }) => ({
      label,
      local,
      startMs: firstInstant(zone.steps, local.startMs),
      endMs: endInstant(zone.steps, local.endMs),
    }))
    // A step that the clock skips is omitted.
    .filter(({ startMs, endMs }) => startMs < endMs);
  if (buckets.length === 0) {
    problems.refuse(field, undefined, "has no step in the range: the zone's clock skips all of it");
    return undefined;
  }
  return {
    unit,
    weekStart,
    range,
    startMs: firstInstant(zone.steps, range.startMs),
    endMs: endInstant(zone.steps, range.endMs),
    buckets,
  };
}

function tooMany(count: number): string {
  return `gives about ${count} steps in this range, at most ${queryLimits.buckets} are possible; use wider steps or a shorter range`;
}

interface LabelledRange {
  readonly label: string;
  readonly local: LocalRange;
}

function listSteps(
  range: LocalRange,
  unit: TimeParticleSize,
  weekStart: WeekStart,
): readonly LabelledRange[] {
  if (unit === TimeParticleSize.TOTAL) {
    return [{ label: `${formatDate(range.startMs)}~${formatDate(range.endMs - 1)}`, local: range }];
  }
  const stretches: LabelledRange[] = [];
  const step = unit as CalendarUnit;
  for (let startMs = floorTo(step, weekStart, range.startMs); startMs < range.endMs; ) {
    const endMs = nextAfter(step, startMs);
    stretches.push({
      label: labelOfUnit(step, startMs),
      local: { startMs: Math.max(startMs, range.startMs), endMs: Math.min(endMs, range.endMs) },
    });
    startMs = endMs;
  }
  return stretches;
}

export function bucketsOf({ startMs, endMs, buckets }: Period): Buckets {
  const starts = buckets.map(({ local }) => local.startMs);
  return { startMs, endMs, localEdges: [...starts, buckets.at(-1)!.local.endMs] };
}
