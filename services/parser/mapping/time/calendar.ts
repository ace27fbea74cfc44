const dayMs = 86_400_000;

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

function dateText(days: number): string {
  const date = new Date(days * dayMs);
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
}

/** 00 to 59 and 000 to 999 as text. */
const two = Array.from({ length: 60 }, (_, value) => pad(value, 2));
const three = Array.from({ length: 1000 }, (_, value) => pad(value, 3));

const minuteMs = 60_000;

let lastMinute = Number.NaN;
let lastText = "";

/** `yyyy-MM-dd HH:mm:ss.SSS` of a local time (ms as if it were UTC, between minLocalMs and maxLocalMs). */
export function formatLocal(localMs: number): string {
  const minute = Math.floor(localMs / minuteMs);
  if (minute !== lastMinute) {
    lastMinute = minute;
    const days = Math.floor(localMs / dayMs);
    const inDay = minute - days * (dayMs / minuteMs);
    lastText = `${dateText(days)} ${two[Math.floor(inDay / 60)]}:${two[inDay % 60]}:`;
  }
  const inMinute = localMs - minute * minuteMs;
  const ms = inMinute % 1000;
  // Short texts are copied, so this makes one long piece of two, not of four.
  const seconds = `${two[(inMinute - ms) / 1000]!}.${three[ms]!}`;
  return `${lastText}${seconds}`;
}
