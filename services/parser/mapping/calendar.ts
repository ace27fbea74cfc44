const dayMs = 86_400_000;

export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Days since 1970-01-01 of a date of the Gregorian calendar (years 1 to 9999). */
export function daysOf(year: number, month: number, day: number): number {
  // Counted in years that start on March 1, so that the leap day comes last.
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** First and last local times that print with a four-digit year. */
export const minLocalMs = daysOf(1, 1, 1) * dayMs;
export const maxLocalMs = daysOf(10_000, 1, 1) * dayMs - 1;

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

let lastDay = Number.NaN;
let lastDate = "";

function dateText(days: number): string {
  if (days === lastDay) return lastDate;
  const date = new Date(days * dayMs);
  lastDay = days;
  lastDate = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
  return lastDate;
}

/** 00 to 99 as text. */
const two = Array.from({ length: 100 }, (_, value) => pad(value, 2));

/** `yyyy-MM-dd HH:mm:ss.SSS` of a local time (ms as if it were UTC, between minLocalMs and maxLocalMs). */
export function formatLocal(localMs: number): string {
  const days = Math.floor(localMs / dayMs);
  const inDay = localMs - days * dayMs;
  const seconds = Math.floor(inDay / 1000);
  const minutes = Math.floor(seconds / 60);
  const time = `${two[Math.floor(minutes / 60)]}:${two[minutes % 60]}:${two[seconds % 60]}`;
  return `${dateText(days)} ${time}.${pad(inDay % 1000, 3)}`;
}
