import { floorToDay } from "../../../../base/time/local-time.ts";
import { dayMs } from "../../../../base/time/units.ts";
import { TimeParticleSize } from "../../../../gen/engage/analysis/v1/event_view_pb.ts";
import { endOfWritten, parseWrittenTime, type WrittenTime } from "../../local-time.ts";
import { queryLimits } from "../limits.ts";
import type { Problems } from "../problems.ts";
import { floorTo, type WeekStart } from "./calendar.ts";

/** Local milliseconds as if they were UTC; the end is excluded. */
export interface LocalRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** A range as written in a query, with the paths of its fields. */
export interface WrittenRange {
  readonly recentDay: Written;
  readonly start: Written;
  readonly end: Written;
}

interface Written {
  readonly field: string;
  readonly text: string;
}

export interface Today {
  /** Start of today in the query's zone. */
  readonly localMs: number;
  readonly weekStart: WeekStart;
}

const relativeForms =
  'must be "a-b" with 1 ≤ a ≤ b, "0-N" with N ≥ 1, "W0", "W1", "M0", "M1" or "StartToNow"';
const timeForms = "must be an existing time, as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd";

/** Resolves a range; returns undefined when it was refused. */
export function resolveRange(range: WrittenRange, today: Today, problems: Problems): LocalRange | undefined {
  if (range.recentDay.text !== "") return resolveRelative(range, today, problems);
  const start = readTime(range.start, problems);
  const end = readTime(range.end, problems);
  if (start === undefined || end === undefined) return undefined;
  const found = { startMs: start.localMs, endMs: endOfWritten(end) };
  if (found.startMs < found.endMs) return found;
  problems.refuse(range.end.field, range.end.text, `must not be before ${range.start.field}`);
  return undefined;
}

function resolveRelative(range: WrittenRange, today: Today, problems: Problems): LocalRange | undefined {
  const { field, text } = range.recentDay;
  if (text === "StartToNow") return startToNow(range.start, today, problems);
  const days = relativeDays(text, today);
  if (days !== undefined) return { startMs: days.first, endMs: days.last + dayMs };
  problems.refuse(field, text, `${relativeForms}; numbers are at most ${queryLimits.days}`);
  return undefined;
}

interface Days {
  readonly first: number;
  readonly last: number;
}

function relativeDays(text: string, { localMs: today, weekStart }: Today): Days | undefined {
  const thisWeek = floorTo(TimeParticleSize.WEEK, weekStart, today);
  const thisMonth = floorTo(TimeParticleSize.MONTH, weekStart, today);
  switch (text) {
    case "W0":
      return { first: thisWeek, last: today };
    case "W1":
      return { first: thisWeek - 7 * dayMs, last: thisWeek - dayMs };
    case "M0":
      return { first: thisMonth, last: today };
    case "M1":
      return {
        first: floorTo(TimeParticleSize.MONTH, weekStart, thisMonth - dayMs),
        last: thisMonth - dayMs,
      };
  }
  const [near, far] = (/^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []).slice(1).map(Number);
  if (near === undefined || far === undefined || far < Math.max(near, 1) || far > queryLimits.days) {
    return undefined;
  }
  // Today is the first of the last days.
  const first = near === 0 ? today - (far - 1) * dayMs : today - far * dayMs;
  return { first, last: today - near * dayMs };
}

function startToNow(start: Written, today: Today, problems: Problems): LocalRange | undefined {
  const time = readTime(start, problems);
  if (time === undefined) return undefined;
  const range = { startMs: floorToDay(time.localMs), endMs: today.localMs + dayMs };
  if (range.startMs < range.endMs) return range;
  problems.refuse(start.field, start.text, "must not be after today");
  return undefined;
}

function readTime({ field, text }: Written, problems: Problems): WrittenTime | undefined {
  const time = parseWrittenTime(text);
  // Ranges are in whole seconds, as results show them; a leap second is part of the second before it.
  if (time !== undefined && text.endsWith(":60")) return { localMs: time.localMs - 999, precision: "second" };
  if (time !== undefined && time.precision !== "millisecond") return time;
  if (text === "") problems.refuse(field, undefined, `is required without a relative range; ${timeForms}`);
  else problems.refuse(field, text, timeForms);
  return undefined;
}
