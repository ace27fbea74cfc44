import { floorToDay, formatDate, formatMinute } from "../../../../base/time/local-time.ts";
import { dayMs, hourMs, minuteMs } from "../../../../base/time/units.ts";
import { TimeParticleSize } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";

export type WeekStart = "monday" | "sunday";

/** A step of the x axis on the local calendar: all steps except the total. */
export type CalendarUnit = Exclude<
  TimeParticleSize,
  typeof TimeParticleSize.UNSPECIFIED | typeof TimeParticleSize.TOTAL
>;

const widths: Partial<Record<TimeParticleSize, number>> = {
  [TimeParticleSize.MINUTE]: minuteMs,
  [TimeParticleSize.MINUTE5]: 5 * minuteMs,
  [TimeParticleSize.MINUTE10]: 10 * minuteMs,
  [TimeParticleSize.HOUR]: hourMs,
  [TimeParticleSize.DAY]: dayMs,
};
const months: Partial<Record<TimeParticleSize, number>> = {
  [TimeParticleSize.MONTH]: 1,
  [TimeParticleSize.QUARTER]: 3,
  [TimeParticleSize.YEAR]: 12,
};

/** Returns the start of the unit that contains a local time. */
export function floorTo(unit: CalendarUnit, weekStart: WeekStart, localMs: number): number {
  const width = widths[unit];
  if (width !== undefined) return Math.floor(localMs / width) * width;
  const date = new Date(localMs);
  const step = months[unit];
  if (step === undefined) {
    const daysSinceStart = (date.getUTCDay() + (weekStart === "monday" ? 6 : 0)) % 7;
    return floorToDay(localMs) - daysSinceStart * dayMs;
  }
  const month = date.getUTCMonth();
  return Date.UTC(date.getUTCFullYear(), month - (month % step));
}

/** Returns the start of the unit after the one that starts at `startMs`. */
export function nextAfter(unit: CalendarUnit, startMs: number): number {
  const step = months[unit];
  if (step === undefined) return startMs + (widths[unit] ?? 7 * dayMs);
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step);
}

/** Estimates the number of units from `startMs` to `endMs`. */
export function estimateCount(unit: CalendarUnit, startMs: number, endMs: number): number {
  const width = widths[unit] ?? (months[unit] ?? 0) * 28 * dayMs;
  return Math.ceil((endMs - startMs) / (width || 7 * dayMs));
}

export function labelOfUnit(unit: CalendarUnit, startMs: number): string {
  switch (unit) {
    case TimeParticleSize.YEAR:
      return formatDate(startMs).slice(0, 4);
    case TimeParticleSize.MONTH:
    case TimeParticleSize.QUARTER:
      return formatDate(startMs).slice(0, 7);
    case TimeParticleSize.DAY:
    case TimeParticleSize.WEEK:
      return formatDate(startMs);
    default:
      return formatMinute(startMs);
  }
}
