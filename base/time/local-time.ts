import { daysInMonth, daysSince1970 } from "./calendar.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "./units.ts";

/**
 * Local times as texts. As numbers they are milliseconds since 1970 as if the
 * local time were UTC; `zone.ts` turns them into instants.
 */

/** The first and the last local time with a year of four digits, from 1 to 9999. */
export const minLocalMs = daysSince1970(1, 1, 1) * dayMs;
export const maxLocalMs = daysSince1970(10_000, 1, 1) * dayMs - 1;

/**
 * Reads `yyyy-MM-dd HH:mm:ss` or `yyyy-MM-dd HH:mm:ss.SSS`. Returns undefined for
 * other forms, for times that do not exist and for the year 0.
 * A leap second, `:60`, is the last millisecond of the second before.
 */
export function parseLocalTime(text: string): number | undefined {
  const { length } = text;
  // Event properties are tried as times, and most other texts differ in their length.
  if ((length !== 19 && length !== 23) || text.charCodeAt(10) !== space) return undefined;
  if (text.charCodeAt(13) !== colon || text.charCodeAt(16) !== colon) return undefined;
  const dateMs = dateAtStart(text);
  if (dateMs === undefined) return undefined;
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  // NaN fails every comparison.
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return undefined;
  const fraction = length === 19 ? 0 : text.charCodeAt(19) === dot ? digits(text, 20, 23) : Number.NaN;
  if (!(fraction >= 0)) return undefined;
  const ofMinute = second === 60 ? minuteMs - 1 : second * secondMs + fraction;
  return dateMs + hour * hourMs + minute * minuteMs + ofMinute;
}

/**
 * The bytes of the last minute that `readLocalTime` has read, `yyyy-MM-dd HH:mm:`, and its start. At first they are no
 * text: UTF-8 has no 0xff.
 */
const minuteBytes = Buffer.alloc(17, 0xff);
let minuteStartMs = Number.NaN;

/** Reads a text, as its bytes, like `parseLocalTime`. Neighbouring records mostly have times of the same minute. */
export function readLocalTime(bytes: Buffer, start: number, end: number): number | undefined {
  const inMinuteMs = isLastMinute(bytes, start, end)
    ? secondsAt(bytes, start + minuteBytes.length, end)
    : Number.NaN;
  if (inMinuteMs >= 0) return minuteStartMs + inMinuteMs;
  const localMs = parseLocalTime(bytes.toString("latin1", start, end));
  if (localMs === undefined) return undefined;
  bytes.copy(minuteBytes, 0, start, start + minuteBytes.length);
  minuteStartMs = Math.floor(localMs / minuteMs) * minuteMs;
  return localMs;
}

function isLastMinute(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < minuteBytes.length) return false;
  for (let at = 0; at < minuteBytes.length; at++) if (bytes[start + at] !== minuteBytes[at]) return false;
  return true;
}

/** Reads `ss` or `ss.SSS` as milliseconds; NaN for other forms and for a leap second. */
function secondsAt(bytes: Uint8Array, start: number, end: number): number {
  const second = digitsAt(bytes, start, start + 2);
  if (!(second < 60)) return Number.NaN;
  if (end === start + 2) return second * secondMs;
  const isFraction = end === start + 6 && bytes[start + 2] === dot;
  return isFraction ? second * secondMs + digitsAt(bytes, start + 3, end) : Number.NaN;
}

function digitsAt(bytes: Uint8Array, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - zero;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** Reads `yyyy-MM-dd` as the start of the day. Returns undefined for other forms and for days that do not exist. */
export function parseDate(text: string): number | undefined {
  return text.length === 10 ? dateAtStart(text) : undefined;
}

const space = 0x20;
const hyphen = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const colon = 0x3a;

function dateAtStart(text: string): number | undefined {
  if (text.charCodeAt(4) !== hyphen || text.charCodeAt(7) !== hyphen) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const exists = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return exists ? daysSince1970(year, month, day) * dayMs : undefined;
}

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** "00" to "59", and "000" to "999". */
const two = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));
const three = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"));

// Neighbouring lines and records mostly have times of the same minute.
let lastMinute = Number.NaN;
let lastText = "";

/** Writes `yyyy-MM-dd HH:mm:ss.SSS`, for times from `minLocalMs` to `maxLocalMs`. */
export function formatLocalTime(localMs: number): string {
  const minute = Math.floor(localMs / minuteMs);
  if (minute !== lastMinute) {
    lastMinute = minute;
    lastText = new Date(minute * minuteMs)
      .toISOString()
      .slice(0, -":00.000Z".length + 1)
      .replace("T", " ");
  }
  const inMinute = localMs - minute * minuteMs;
  const ms = inMinute % secondMs;
  // Short texts are copied, so this makes one long text of two, not of four.
  const seconds = `${two[(inMinute - ms) / secondMs]!}.${three[ms]!}`;
  return `${lastText}${seconds}`;
}

/** Writes `yyyy-MM-dd HH:mm:ss`; milliseconds are cut. */
export function formatSecond(localMs: number): string {
  return formatLocalTime(localMs).slice(0, 19);
}

/** Writes `yyyy-MM-dd HH:mm`. */
export function formatMinute(localMs: number): string {
  return formatLocalTime(localMs).slice(0, 16);
}

/** Writes `yyyy-MM-dd`. */
export function formatDate(localMs: number): string {
  return formatLocalTime(localMs).slice(0, 10);
}

/** The start of the day of a local time. */
export function floorToDay(localMs: number): number {
  return Math.floor(localMs / dayMs) * dayMs;
}
