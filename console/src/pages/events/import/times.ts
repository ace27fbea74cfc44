/** How a date that begins with two short numbers is read. */
export type DateOrder = "monthFirst" | "dayFirst";

/** The time of a record: in the zone of the project, unless it is said to be UTC. */
export interface RecordTime {
  /** `yyyy-MM-dd HH:mm:ss.SSS` */
  readonly text: string;
  readonly isUtc: boolean;
}

const clock = String.raw`(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?`;
const yearFirst = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})${clock}$`, "i");
const yearLast = new RegExp(`^(\\d{1,2})[-/.](\\d{1,2})[-/.](\\d{4})${clock}$`, "i");
const unixSeconds = /^\d{9,10}(\.\d{1,9})?$/;
const unixMs = /^\d{12,13}$/;
const minuteMs = 60_000;

/**
 * Reads a time as tables have it: ISO 8601 and similar forms, with a zone or without, dates with the year last, and
 * seconds or milliseconds since 1970. Returns undefined for what is no time.
 */
export function readTime(value: string, order: DateOrder): RecordTime | undefined {
  const text = value.trim();
  if (unixSeconds.test(text)) return utc(Number(text) * 1_000);
  if (unixMs.test(text)) return utc(Number(text));
  const first = yearFirst.exec(text);
  if (first !== null) return timeOf(first, first[1]!, first[2]!, first[3]!);
  const last = yearLast.exec(text);
  if (last === null) return undefined;
  const [month, day] = order === "monthFirst" ? [last[1]!, last[2]!] : [last[2]!, last[1]!];
  return timeOf(last, last[3]!, month, day);
}

function timeOf(match: RegExpExecArray, year: string, month: string, day: string): RecordTime | undefined {
  const [, , , , hour = "0", minute = "0", second = "0", fraction = "", zone] = match;
  const ms = Number(fraction.slice(0, 3).padEnd(3, "0"));
  const parts = [
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  ] as const;
  const asUtcMs = Date.UTC(parts[0], parts[1] - 1, parts[2], parts[3], parts[4], parts[5], ms);
  const date = new Date(asUtcMs);
  // Numbers beyond their range would move others: 31 February would be in March.
  const isOfParts =
    date.getUTCFullYear() === parts[0] &&
    date.getUTCMonth() === parts[1] - 1 &&
    date.getUTCDate() === parts[2] &&
    date.getUTCHours() === parts[3] &&
    date.getUTCMinutes() === parts[4] &&
    date.getUTCSeconds() === parts[5];
  if (!isOfParts) return undefined;
  if (zone === undefined) return { text: textOf(asUtcMs), isUtc: false };
  return utc(asUtcMs - offsetMsOf(zone));
}

function offsetMsOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

const utc = (ms: number): RecordTime => ({ text: textOf(ms), isUtc: true });

function textOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, -1).replace("T", " ");
}

/** Reports whether dates have the year last, so that the order of day and month must be known. */
export function isYearLast(value: string): boolean {
  return yearLast.test(value.trim());
}

/** Returns the order in which most of the dates are valid; of two that fit alike, the month first. */
export function guessOrder(values: readonly string[]): DateOrder {
  const valid = (order: DateOrder) => values.filter((value) => readTime(value, order) !== undefined).length;
  return valid("dayFirst") > valid("monthFirst") ? "dayFirst" : "monthFirst";
}
