import { Cron } from "croner";
import type { Violation } from "../../../base/rpc/invalid-fields.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { Schedule } from "../../../gen/engage/channel/v1/task_pb.ts";
import { isDate } from "../channels/input-methods.ts";

/** Times of a schedule, in milliseconds since 1970. */
export interface Times {
  /** The first one behind; null: there is none. */
  next(afterMs: number): number | null;
  /** The last one at or before; null: there is none within the reach of a cron pattern. */
  last(untilMs: number): number | null;
}

const localTime = /^(\d{4}-\d{2}-\d{2}) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/;
/** All five fields written out as lists take 391; the time to read one grows with its length. */
const maxPattern = 1_000;
const offset = /^[+-](0\d|1[0-4]):[0-5]\d$/;

/**
 * Compiles a schedule that was checked. A time that the clocks skip is taken
 * where they go on, one they repeat is taken once; patterns such as `*\/30`
 * go on through a repeated hour.
 * @param zone the project's, where the schedule names none
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
    // Behind the moment itself, which counts too.
    last: (untilMs) => cron.previousRuns(1, new Date(untilMs + 1))[0]?.getTime() ?? null,
  };
}

/** @returns violations, with fields behind the schedule */
export function checkSchedule(schedule: Schedule, zone: string, nowMs: number): readonly Violation[] {
  const { at, cron } = schedule;
  const isZone = checkZone(schedule.zone);
  if (isZone !== undefined) return [{ field: "zone", problem: isZone }];
  if ((at === "") === (cron === "")) {
    return [
      { field: "at", problem: at === "" ? "or cron is required" : "and cron are set, valid is one of them" },
    ];
  }
  if (at !== "" && !isLocalTime(at)) {
    return [{ field: "at", problem: `is ${quoteText(at)}, valid are times such as 2026-01-31 18:30:00` }];
  }
  const fault = cron === "" ? undefined : checkPattern(cron, schedule.zone || zone);
  if (fault !== undefined) return [{ field: "cron", problem: fault }];
  if (compileTimes(schedule, zone).next(nowMs) !== null) return [];
  if (cron !== "") return [{ field: "cron", problem: `is ${quoteText(cron)}, a time that never comes` }];
  return [{ field: "at", problem: `is ${quoteText(at)} in ${schedule.zone || zone}, which is past` }];
}

function isLocalTime(text: string): boolean {
  const [, day = ""] = localTime.exec(text) ?? [];
  return isDate(day);
}

function checkPattern(text: string, timezone: string): string | undefined {
  if (text.length > maxPattern) return `has ${text.length} characters, at most ${maxPattern} are valid`;
  const valid = 'valid are five fields such as "30 9 * * MON-FRI"';
  // The library would fill a question mark with the present moment, and takes nicknames.
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
  const problem = `is ${quoteText(zone)}, valid are offsets such as "+08:00" and names such as "Europe/Berlin"`;
  if (!/^[A-Za-z][A-Za-z0-9_/+-]{0,99}$/.test(zone)) return problem;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return undefined;
  } catch {
    return problem;
  }
}

/** The day of a moment in a zone, `yyyy-MM-dd`. */
export function dayIn(zone: string, ms: number): string {
  // Sweden writes days in the order of ISO 8601.
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(ms);
}
