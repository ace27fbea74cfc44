import { wordOf, wordsOf } from "../../../../base/protobuf/enum-words.ts";
import { floorToDay } from "../../../../base/time/local-time.ts";
import { dayMs } from "../../../../base/time/units.ts";
import {
  type QuotaTimeRange,
  QuotaTimeRangeType,
  QuotaTimeRangeTypeSchema,
} from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { Buckets } from "../../../../store/events/events.ts";
import { queryLimits } from "../limits.ts";
import type { Problems } from "../problems.ts";
import { floorTo, type WeekStart } from "./calendar.ts";
import { bucketsOf, type Period } from "./period.ts";
import type { LocalRange } from "./range.ts";
import { endInstant, firstInstant, type QueryZone } from "./zone.ts";

/** The days that one operand counts, relative to the day of a bucket. */
export interface Window {
  /** Equal windows have equal ids. */
  readonly id: string;
  readonly around: (dayMs: number) => LocalRange;
}

const arities: Partial<Record<QuotaTimeRangeType, number>> = {
  [QuotaTimeRangeType.LAST_DAYS]: 1,
  [QuotaTimeRangeType.RECENT_DAYS]: 1,
  [QuotaTimeRangeType.THIS_WEEK]: 0,
  [QuotaTimeRangeType.THIS_MONTH]: 0,
  [QuotaTimeRangeType.TIME_RANGE]: 2,
};

/** Describes a window; returns undefined when it was refused. */
export function describeWindow(
  range: QuotaTimeRange,
  field: string,
  weekStart: WeekStart,
  problems: Problems,
): Window | undefined {
  const arity = arities[range.type];
  if (arity === undefined) {
    problems.refuseWord(`${field}.type`, range.type, wordsOf(QuotaTimeRangeTypeSchema));
    return undefined;
  }
  const least = range.type === QuotaTimeRangeType.TIME_RANGE ? -queryLimits.days : 1;
  const numbers = range.params.map((text) => (/^[+-]?\d{1,6}$/.test(text) ? Number(text) : Number.NaN));
  const isGood = numbers.every((number) => number >= least && number <= queryLimits.days);
  const word = wordOf(QuotaTimeRangeTypeSchema, range.type)!;
  if (numbers.length !== arity || !isGood) {
    const rule = `must be ${arity === 0 ? "empty" : `${arity} whole number${arity > 1 ? "s" : ""} from ${least} to ${queryLimits.days}`} with ${word}`;
    problems.refuse(`${field}.params`, range.params.join(","), rule);
    return undefined;
  }
  const [first = 0, second = 0] = numbers;
  if (arity === 2 && first > second) {
    problems.refuse(`${field}.params`, range.params.join(","), `must be in ascending order with ${word}`);
    return undefined;
  }
  return { id: `${word}(${numbers})`, around: compileWindow(range.type, first, second, weekStart) };
}

function compileWindow(
  type: QuotaTimeRangeType,
  first: number,
  second: number,
  weekStart: WeekStart,
): Window["around"] {
  const days = (day: number, from: number, to: number): LocalRange => ({
    startMs: day + from * dayMs,
    endMs: day + (to + 1) * dayMs,
  });
  switch (type) {
    case QuotaTimeRangeType.LAST_DAYS:
      return (day) => days(day, -first, -1);
    case QuotaTimeRangeType.RECENT_DAYS:
      return (day) => days(day, 1 - first, 0);
    case QuotaTimeRangeType.THIS_WEEK:
      return (day) => ({ startMs: floorTo(TimeParticleSize.WEEK, weekStart, day), endMs: day + dayMs });
    case QuotaTimeRangeType.THIS_MONTH:
      return (day) => ({ startMs: floorTo(TimeParticleSize.MONTH, weekStart, day), endMs: day + dayMs });
    default:
      return (day) => days(day, first, second);
  }
}

/** Returns the window of a bucket. The day of a bucket is that of its last instant. */
export function windowOf({ around }: Window, bucket: LocalRange): LocalRange {
  return around(floorToDay(bucket.endMs - 1));
}

/** Returns the buckets of a period for an operand with this window. */
export function windowedBuckets(period: Period, window: Window | undefined, zone: QueryZone): Buckets {
  if (window === undefined) return bucketsOf(period);
  const windows = period.buckets.map(({ local }) => windowOf(window, local));
  return overlappingBuckets(windows, zone);
}

/** Returns buckets that may overlap and have gaps. */
export function overlappingBuckets(ranges: readonly LocalRange[], zone: QueryZone): Buckets {
  const startMs = ranges.reduce((least, range) => Math.min(least, range.startMs), Number.POSITIVE_INFINITY);
  const endMs = ranges.reduce((most, range) => Math.max(most, range.endMs), Number.NEGATIVE_INFINITY);
  return {
    startMs: firstInstant(zone.steps, startMs),
    endMs: endInstant(zone.steps, endMs),
    localEdges: [],
    windows: ranges.map((range) => [range.startMs, range.endMs] as const),
  };
}
