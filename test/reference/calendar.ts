import { Refused } from "./refused.ts";

export const secondMs = 1000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

export const timeUnits = [
  "minute",
  "minute5",
  "minute10",
  "hour",
  "day",
  "week",
  "month",
  "quarter",
  "year",
  "total",
] as const;
export type TimeUnit = (typeof timeUnits)[number];
export type WeekStart = "monday" | "sunday";

const timeForm = /^(\d{4})-(\d{2})-(\d{2})(?: (\d{2}):(\d{2}):(\d{2})(?:\.(\d{3}))?)?$/;

/** Local ms as if it were UTC; undefined unless it is a day and a time that exist. */
export function parseTime(text: string): { readonly ms: number; readonly dateOnly: boolean } | undefined {
  const found = timeForm.exec(text);
  if (!found) return undefined;
  const [year, month, day, hour, minute, second, milli] = found.slice(1).map((part) => Number(part ?? 0));
  const isLeap = second === 60;
  const ms = Date.UTC(year!, month! - 1, day!, hour, minute, isLeap ? 59 : second, isLeap ? 999 : milli);
  const exists = formatMilli(ms).startsWith(isLeap ? `${text.slice(0, 17)}59.999` : text.slice(0, 19));
  return exists ? { ms, dateOnly: found[4] === undefined } : undefined;
}

/** `yyyy-MM-dd HH:mm:ss.SSS` */
export function formatMilli(localMs: number): string {
  return new Date(localMs).toISOString().replace("T", " ").replace("Z", "");
}

/** `yyyy-MM-dd HH:mm:ss` */
export function formatSecond(localMs: number): string {
  return formatMilli(localMs).slice(0, 19);
}

export function formatDay(localMs: number): string {
  return formatMilli(localMs).slice(0, 10);
}

export function dayOf(localMs: number): number {
  return Math.floor(localMs / dayMs) * dayMs;
}

/** First moment of the bucket that holds a local time. */
export function floorTo(unit: TimeUnit, weekStart: WeekStart, localMs: number): number {
  const date = new Date(localMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (unit) {
    case "minute":
      return Math.floor(localMs / minuteMs) * minuteMs;
    case "minute5":
      return Math.floor(localMs / (5 * minuteMs)) * 5 * minuteMs;
    case "minute10":
      return Math.floor(localMs / (10 * minuteMs)) * 10 * minuteMs;
    case "hour":
      return Math.floor(localMs / hourMs) * hourMs;
    case "day":
      return dayOf(localMs);
    case "week":
      return dayOf(localMs) - ((date.getUTCDay() + (weekStart === "monday" ? 6 : 0)) % 7) * dayMs;
    case "month":
      return Date.UTC(year, month);
    case "quarter":
      return Date.UTC(year, month - (month % 3));
    case "year":
      return Date.UTC(year, 0);
    case "total":
      return localMs;
  }
}

/** First moment after a bucket that starts then. */
function nextOf(unit: TimeUnit, startMs: number): number {
  const date = new Date(startMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (unit) {
    case "minute":
      return startMs + minuteMs;
    case "minute5":
      return startMs + 5 * minuteMs;
    case "minute10":
      return startMs + 10 * minuteMs;
    case "hour":
      return startMs + hourMs;
    case "day":
      return startMs + dayMs;
    case "week":
      return startMs + 7 * dayMs;
    case "month":
      return Date.UTC(year, month + 1);
    case "quarter":
      return Date.UTC(year, month + 3);
    case "year":
      return Date.UTC(year + 1, 0);
    case "total":
      return Infinity;
  }
}

/** A range in local time, the end not included. */
export interface LocalRange {
  readonly startMs: number;
  readonly endMs: number;
}

export interface Bucket {
  readonly startMs: number;
  readonly endMs: number;
  /** As the answer writes it. */
  readonly label: string;
}

/** All buckets that a range touches. @param exists whether clocks show a local time */
export function listBuckets(
  unit: TimeUnit,
  weekStart: WeekStart,
  range: LocalRange,
  exists: (localMs: number) => boolean,
): Bucket[] {
  if (unit === "total") {
    return [{ ...range, label: `${formatDay(range.startMs)}~${formatDay(range.endMs - 1)}` }];
  }
  const buckets: Bucket[] = [];
  let startMs = floorTo(unit, weekStart, range.startMs);
  while (startMs < range.endMs) {
    const endMs = nextOf(unit, startMs);
    // An hour that clocks skip is not on the axis.
    if (exists(startMs) || exists(endMs - 1)) buckets.push({ startMs, endMs, label: labelOf(unit, startMs) });
    startMs = endMs;
  }
  return buckets;
}

function labelOf(unit: TimeUnit, startMs: number): string {
  const text = formatMilli(startMs);
  if (unit === "year") return text.slice(0, 4);
  if (unit === "month" || unit === "quarter") return text.slice(0, 7);
  return unit === "day" || unit === "week" ? text.slice(0, 10) : text.slice(0, 16);
}

export interface RangeWords {
  readonly recentDay: string | undefined;
  readonly startTime: string | undefined;
  readonly endTime: string | undefined;
}

/**
 * @param today first moment of today, local
 * @param names of the fields, to be named in a refusal
 */
export function resolveRange(
  words: RangeWords,
  today: number,
  weekStart: WeekStart,
  names: { readonly recentDay: string; readonly startTime: string; readonly endTime: string },
): LocalRange {
  const days = (first: number, last: number): LocalRange => ({ startMs: first, endMs: last + dayMs });
  if (words.recentDay) {
    const found = resolveRecent(words, today, weekStart, days, names.startTime);
    if (!found) throw new Refused(names.recentDay, `no relative range: ${words.recentDay}`);
    return found;
  }
  if (!words.startTime) throw new Refused(names.startTime, "missing");
  if (!words.endTime) throw new Refused(names.endTime, "missing");
  const start = readTime(names.startTime, words.startTime);
  const end = readTime(names.endTime, words.endTime);
  const range = { startMs: start.ms, endMs: end.dateOnly ? end.ms + dayMs : end.ms + secondMs };
  if (range.startMs >= range.endMs) throw new Refused(names.endTime, "before the start");
  return range;
}

function resolveRecent(
  words: RangeWords,
  today: number,
  weekStart: WeekStart,
  days: (first: number, last: number) => LocalRange,
  startName: string,
): LocalRange | undefined {
  const text = words.recentDay!;
  const numbers = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  if (numbers) {
    const [near, far] = [Number(numbers[1]), Number(numbers[2])];
    if (near === 0) return far >= 1 ? days(today - (far - 1) * dayMs, today) : undefined;
    return far >= near ? days(today - far * dayMs, today - near * dayMs) : undefined;
  }
  const week = floorTo("week", weekStart, today);
  const month = floorTo("month", weekStart, today);
  switch (text) {
    case "W0":
      return days(week, today);
    case "W1":
      return days(week - 7 * dayMs, week - dayMs);
    case "M0":
      return days(month, today);
    case "M1":
      return days(floorTo("month", weekStart, month - dayMs), month - dayMs);
    case "StartToNow": {
      if (!words.startTime) throw new Refused(startName, "missing");
      const { ms } = readTime(startName, words.startTime);
      if (ms >= today + dayMs) throw new Refused(startName, "after today");
      return days(dayOf(ms), today);
    }
    default:
      return undefined;
  }
}

function readTime(field: string, text: string): { readonly ms: number; readonly dateOnly: boolean } {
  const time = parseTime(text);
  if (!time || text.length > 19) throw new Refused(field, `no time: ${text}`);
  return time;
}
