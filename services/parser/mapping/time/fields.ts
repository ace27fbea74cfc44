import { daysInMonth } from "../../../../base/time/calendar.ts";
import type { Zone } from "../../../../base/time/zone.ts";

/** The fields of a time in a text. The zone is that of the text itself; the year may be missing. */
export interface TimeFields {
  year: number | undefined;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  /** Half of the day, for hours of 1 to 12. */
  half: "am" | "pm" | undefined;
  zone: Zone | undefined;
}

/** Reads a time from a text; returns undefined when the text does not match or the time does not exist. */
export type ReadTime = (text: string) => TimeFields | undefined;

export function emptyFields(): TimeFields {
  return {
    year: undefined,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    millisecond: 0,
    half: undefined,
    zone: undefined,
  };
}

/** Reports whether a time exists. Second 60 does: UTC has leap seconds. */
export function isRealTime(fields: TimeFields): boolean {
  const { year, month, day, hour, minute, second, millisecond } = fields;
  if ((hour | minute | second | millisecond) < 0 || hour > 23 || minute > 59 || second > 60) return false;
  // February 29 is valid if the year is unknown.
  if (month < 1 || month > 12 || (year !== undefined && year < 1)) return false;
  return day >= 1 && day <= daysInMonth(year ?? 2000, month);
}
