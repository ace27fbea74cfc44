export const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** A time that a caller wrote, with how much of the clock it names: a date alone is a whole day. */
export interface WrittenTime {
  /** Milliseconds since 1970 as if it were UTC. */
  readonly localMs: number;
  readonly precision: "day" | "second" | "millisecond";
}

const timeForm = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d)(\.\d{3})?)?$/;
const leapSecond = /(?<=^\d{4}-\d\d-\d\d \d\d:\d\d:)60(?:\.\d{3})?$/;

/**
 * Reads `yyyy-MM-dd`, `yyyy-MM-dd HH:mm:ss` and `yyyy-MM-dd HH:mm:ss.SSS`;
 * undefined for other forms and for days and times that do not exist. Clocks
 * here have no second 60, so it is read as the last millisecond of second 59.
 */
export function parseLocalTime(written: string): WrittenTime | undefined {
  const text = written.replace(leapSecond, "59.999");
  const [, date, time, fraction] = timeForm.exec(text) ?? [];
  if (date === undefined) return undefined;
  const localMs = Date.parse(`${date}T${time ?? "00:00:00"}${fraction ?? ""}Z`);
  // Date.parse takes 31 February and 24:00:00 for other times.
  if (Number.isNaN(localMs) || !formatMilliseconds(localMs).startsWith(text)) return undefined;
  const precision = time === undefined ? "day" : fraction === undefined ? "second" : "millisecond";
  return { localMs, precision };
}

/** First moment after what a written time names. */
export function endOfWritten({ localMs, precision }: WrittenTime): number {
  return localMs + { day: dayMs, second: secondMs, millisecond: 1 }[precision];
}

/** `yyyy-MM-dd` */
export function parseDate(text: string): number | undefined {
  const time = parseLocalTime(text);
  return time?.precision === "day" ? time.localMs : undefined;
}

/** `yyyy-MM-dd` */
export function formatDate(localMs: number): string {
  return formatMilliseconds(localMs).slice(0, 10);
}

/** `yyyy-MM-dd HH:mm` */
export function formatMinute(localMs: number): string {
  return formatMilliseconds(localMs).slice(0, 16);
}

/** `yyyy-MM-dd HH:mm:ss` */
export function formatSecond(localMs: number): string {
  return formatMilliseconds(localMs).slice(0, 19);
}

/** `yyyy-MM-dd HH:mm:ss.SSS`, for years 0 to 9999. */
export function formatMilliseconds(localMs: number): string {
  return new Date(localMs).toISOString().replace("T", " ").slice(0, -1);
}

export function floorToDay(localMs: number): number {
  return Math.floor(localMs / dayMs) * dayMs;
}
