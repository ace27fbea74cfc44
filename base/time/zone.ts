import { formatDate } from "./local-time.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "./units.ts";

/** A time zone: an offset from UTC, or the rules of a place. */
export interface Zone {
  /** Milliseconds east of UTC at an instant, which is in milliseconds since 1970. */
  readonly offsetAt: (instantMs: number) => number;
  /** The offset, if it is always the same. */
  readonly fixedMs: number | undefined;
}

export const utc: Zone = fixedZone(0);

export function fixedZone(offsetMs: number): Zone {
  return { offsetAt: () => offsetMs, fixedMs: offsetMs };
}

/** Reads `+08:00`, `+0800`, `+08`, `Z`, `UTC`, `GMT` or an IANA name; returns undefined for other texts. */
export function compileZone(text: string): Zone | undefined {
  if (text === "Z" || text === "UTC" || text === "GMT") return utc;
  const offset = readOffset(text, 0);
  if (offset !== undefined) return offset.end === text.length ? fixedZone(offset.offsetMs) : undefined;
  // Intl takes offsets beyond −12:00 and +14:00, too.
  return /^[+-]/.test(text) ? undefined : namedZone(text, maxQuarters);
}

/**
 * The zone that a configuration names.
 * @param text an offset such as `+05:30`, or an IANA name
 * @throws RangeError when no zone has this name
 */
export function configuredZone(text: string): Zone {
  const offset = readAnyOffset(text, 0);
  if (offset?.end === text.length) return fixedZone(offset.offsetMs);
  const zone = namedZone(text, maxConfiguredQuarters);
  if (zone === undefined) throw new RangeError(`unknown zone ${JSON.stringify(text)}`);
  return zone;
}

interface ReadOffset {
  readonly offsetMs: number;
  /** The position after it. */
  readonly end: number;
}

/** Reads `Z`, `±hh`, `±hhmm`, `±hh:mm` or `±hh:mm:ss`, from −12:00 to +14:00. */
export function readOffset(text: string, at: number): ReadOffset | undefined {
  const read = readAnyOffset(text, at);
  return read !== undefined && read.offsetMs >= -12 * hourMs && read.offsetMs <= 14 * hourMs
    ? read
    : undefined;
}

function readAnyOffset(text: string, at: number): ReadOffset | undefined {
  const sign = text[at];
  if (sign === "Z" || sign === "z") return { offsetMs: 0, end: at + 1 };
  if (sign !== "+" && sign !== "-") return undefined;
  let end = at + 1;
  let ms = 0;
  for (const [unit, limit] of offsetUnits) {
    const from = unit !== hourMs && text[end] === ":" ? end + 1 : end;
    const value = twoDigits(text, from);
    if (value === undefined) break;
    if (value > limit) return undefined;
    ms += value * unit;
    end = from + 2;
  }
  // The sum turns −0 into 0.
  return end > at + 1 ? { offsetMs: (sign === "-" ? -ms : ms) + 0, end } : undefined;
}

const offsetUnits = [
  [hourMs, 23],
  [minuteMs, 59],
  [secondMs, 59],
] as const;

function twoDigits(text: string, at: number): number | undefined {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : undefined;
}

/**
 * Since then all zones have changed their offsets on quarter hours of UTC, so
 * that the offset at the start of one holds for all of it.
 */
const firstQuarterMs = Date.UTC(1972, 1, 1);
const quarterMs = 15 * minuteMs;
/** Quarter hours remembered for a zone: about 100 days, or more than a year where zones are few. */
const maxQuarters = 10_000;
const maxConfiguredQuarters = 40_000;

/** Undefined when Intl does not know the name. */
function namedZone(name: string, maxQuarters: number): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  // A call of Intl takes microseconds.
  const offsets = new Map<number, number>();
  return {
    fixedMs: undefined,
    offsetAt: (instantMs) => {
      if (instantMs < firstQuarterMs) return offsetIn(format.format(instantMs));
      const quarter = Math.floor(instantMs / quarterMs);
      const known = offsets.get(quarter);
      if (known !== undefined) return known;
      if (offsets.size >= maxQuarters) offsets.clear();
      const offset = offsetIn(format.format(quarter * quarterMs));
      offsets.set(quarter, offset);
      return offset;
    },
  };
}

/** "9/4/2023, GMT+08:00" is 28,800,000; plain "GMT" is 0. In the 19th century there are offsets up to ±16 hours. */
function offsetIn(formatted: string): number {
  return readAnyOffset(formatted, formatted.lastIndexOf("GMT") + 3)?.offsetMs ?? 0;
}

/**
 * The instant of a local time, which is in milliseconds as if it were UTC. A time
 * that occurs twice is the first of the two; a time that is skipped is as far after
 * the end of the gap as it is after its start.
 */
export function toInstant(zone: Zone, localMs: number): number {
  if (zone.fixedMs !== undefined) return localMs - zone.fixedMs;
  const before = zone.offsetAt(localMs - dayMs);
  const after = zone.offsetAt(localMs + dayMs);
  if (before === after || zone.offsetAt(localMs - before) === before) return localMs - before;
  return zone.offsetAt(localMs - after) === after ? localMs - after : localMs - before;
}

/** Returns the day of an instant in a zone, `yyyy-MM-dd`. */
export function dateIn(zone: Zone, instantMs: number): string {
  return formatDate(instantMs + zone.offsetAt(instantMs));
}

/** `toInstant` in a configured zone. @throws RangeError when there is no such zone */
export function compileToInstant(text: string): (localMs: number) => number {
  const zone = configuredZone(text);
  return (localMs) => toInstant(zone, localMs);
}
