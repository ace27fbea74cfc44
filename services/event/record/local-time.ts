const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * Reads `yyyy-MM-dd HH:mm:ss` or `yyyy-MM-dd HH:mm:ss.SSS`: milliseconds since
 * 1970 as if it were UTC; undefined when it has another form or names no real time.
 * A leap second, `:60`, is the last millisecond of the second before.
 */
export function parseLocalTime(text: string): number | undefined {
  const { length } = text;
  // What comes here is mostly some other text, and its length tells.
  if ((length !== 19 && length !== 23) || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45)
    return undefined;
  if (text.charCodeAt(10) !== 32 || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58)
    return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  // What is no number fails every comparison.
  const isDay = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  if (!isDay || !(hour <= 23 && minute <= 59 && second <= 60)) return undefined;
  const fraction = length === 19 ? 0 : text.charCodeAt(19) === 46 ? digits(text, 20, 23) : Number.NaN;
  if (!(fraction >= 0)) return undefined;
  const minuteStart = daysSince1970(year, month, day) * dayMs + hour * hourMs + minute * minuteMs;
  return minuteStart + (second === 60 ? minuteMs - 1 : second * 1_000 + fraction);
}

/** The opposite of `parseLocalTime`, always with milliseconds; years 1 to 9999. */
export function formatLocalTime(localMs: number): string {
  return new Date(localMs).toISOString().replace("T", " ").slice(0, 23);
}

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Counted in years that begin in March, so that the leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const century = Math.floor(marchYear / 100);
  const leapDays = Math.floor(marchYear / 4) - century + Math.floor(century / 4);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  // 719,468 days lie between 0000-03-01 and 1970-01-01.
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}
