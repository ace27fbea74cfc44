import { Cron } from "croner";
import { limitsOf, patternOf } from "../../../base/protobuf/limits.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { knownZones } from "../../../base/time/known-zones.ts";
import { type Schedule, ScheduleSchema } from "../../../gen/engage/channel/v1/task_pb.ts";
import { TextFormat } from "../../../gen/engage/gateway/v1/limits_pb.ts";
import { isDate } from "../channels/input-methods.ts";

/** Times of a schedule, in milliseconds since 1970. */
export interface Times {
  /** Returns the first time after `afterMs`; null if there is none. */
  next(afterMs: number): number | null;
  /** Returns the last time at or before `untilMs`; null if there is none. */
  last(untilMs: number): number | null;
}

const localTime = patternOf(TextFormat.TIME);
/** Longest pattern. All five fields written as lists take 391 characters; the time to parse grows with the length. */
const { maxLength: maxPattern } = limitsOf(ScheduleSchema.field.cron);
const offset = /^[+-](0\d|1[0-4]):[0-5]\d$/;

/**
 * Compiles a checked schedule. A time that the clocks skip moves to the next existing time, a repeated one is used
 * once; patterns such as `*\/30` continue through a repeated hour.
 * @param zone zone of the project, used if the schedule has none
 */
export function compileTimes(schedule: Schedule, zone: string): Times {
  const timezone = schedule.zone || zone;
  if (schedule.at !== "") {
    const atMs = new Cron(schedule.at.replace(" ", "T"), { timezone, paused: true }).nextRun(new Date(0));
    const only = atMs?.getTime() ?? null;
    return {
      next: (afterMs) => (only !== null && only > afterMs ? only : null),
      last: (untilMs) => (only !== null && only <= untilMs ? only : null),
    };
  }
  const cron = new Cron(schedule.cron, { timezone, mode: "5-part", paused: true });
  return {
    next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() ?? null,
    // The library excludes the given time, which counts here.
    last: (untilMs) => cron.previousRuns(1, new Date(untilMs + 1))[0]?.getTime() ?? null,
  };
}

/** Checks a schedule. Fields are relative to the schedule. */
export function checkSchedule(schedule: Schedule, zone: string, nowMs: number): readonly Violation[] {
  const { at, cron } = schedule;
  const isZone = checkZone(schedule.zone);
  if (isZone !== undefined) return [{ field: "zone", description: isZone }];
  if ((at === "") === (cron === "")) {
    return [
      {
        field: "at",
        description: at === "" ? "or cron is required" : "and cron are set, valid is one of them",
      },
    ];
  }
  if (at !== "" && !isLocalTime(at)) {
    return [{ field: "at", description: `is ${quoteText(at)}, valid are times such as 2026-01-31 18:30:00` }];
  }
  const fault = cron === "" ? undefined : checkPattern(cron, schedule.zone || zone);
  if (fault !== undefined) return [{ field: "cron", description: fault }];
  if (compileTimes(schedule, zone).next(nowMs) !== null) return [];
  if (cron !== "") return [{ field: "cron", description: `is ${quoteText(cron)}, which has no future time` }];
  return [{ field: "at", description: `is ${quoteText(at)} in ${schedule.zone || zone}, which is past` }];
}

function isLocalTime(text: string): boolean {
  return localTime.test(text) && isDate(text.slice(0, "yyyy-MM-dd".length));
}

function checkPattern(text: string, timezone: string): string | undefined {
  if (text.length > maxPattern) return `has ${text.length} characters, at most ${maxPattern} are valid`;
  const valid = 'valid are five fields such as "30 9 * * MON-FRI"';
  // The library replaces a question mark by the current time and accepts nicknames such as @daily.
  if (text.includes("?") || text.trim().split(/\s+/).length !== 5) return `is ${quoteText(text)}, ${valid}`;
  try {
    new Cron(text, { timezone, mode: "5-part", paused: true });
    return undefined;
  } catch {
    return `is ${quoteText(text)}, ${valid}`;
  }
}

function checkZone(zone: string): string | undefined {
  if (zone === "" || offset.test(zone)) return undefined;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    if (/^[A-Za-z][A-Za-z0-9_/+-]{0,99}$/.test(zone)) return undefined;
  } catch {
    // The message below says which zones exist.
  }
  return `is ${quoteText(zone)}, ${knownZones(zone)}`;
}
