/** A time zone: hours and minutes from UTC, or an IANA name. */
export interface Zone {
  /** Milliseconds east of UTC at an instant (ms since 1970). */
  readonly offsetAt: (instantMs: number) => number;
  /** The offset, if it is always the same. */
  readonly fixedMs: number | undefined;
}

export const utc: Zone = fixedZone(0);

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Zones change their offset on quarter hours of UTC, so one offset holds for all of it. */
const quarterMs = 15 * minuteMs;
/** Quarter hours remembered per zone, about 100 days; then it starts afresh. */
const maxQuarters = 10_000;
const dayMs = 24 * hourMs;

export function fixedZone(offsetMs: number): Zone {
  return { offsetAt: () => offsetMs, fixedMs: offsetMs };
}

/** `+08:00`, `+0800`, `+08`, `Z`, `UTC`, `GMT` or an IANA name; undefined when it is none of them. */
export function compileZone(text: string): Zone | undefined {
  if (text === "Z" || text === "UTC" || text === "GMT") return utc;
  const offset = readOffset(text, 0);
  if (offset !== undefined) return offset.end === text.length ? fixedZone(offset.offsetMs) : undefined;
  return namedZone(text);
}

/** Reads `Z`, `±hh`, `±hhmm` or `±hh:mm` (also `±hh:mm:ss`), within −12:00 to +14:00. */
export function readOffset(text: string, at: number): { offsetMs: number; end: number } | undefined {
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
  const offsetMs = sign === "-" ? -ms : ms;
  const valid = end > at + 1 && offsetMs >= -12 * hourMs && offsetMs <= 14 * hourMs;
  return valid ? { offsetMs: offsetMs + 0, end } : undefined;
}

const offsetUnits = [
  [hourMs, 14],
  [minuteMs, 59],
  [1000, 59],
] as const;

function twoDigits(text: string, at: number): number | undefined {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : undefined;
}

function namedZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  // Intl takes microseconds a call.
  const offsets = new Map<number, number>();
  return {
    fixedMs: undefined,
    offsetAt: (instantMs) => {
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

/** "9/4/2023, GMT+08:00" → 28800000; plain "GMT" is 0. */
function offsetIn(formatted: string): number {
  return readOffset(formatted, formatted.lastIndexOf("GMT") + 3)?.offsetMs ?? 0;
}

/**
 * The instant of a local time (ms as if it were UTC). A time that occurs twice is the first of the two; one that
 * is skipped moves ahead by the length of the gap.
 */
export function toInstant(zone: Zone, localMs: number): number {
  if (zone.fixedMs !== undefined) return localMs - zone.fixedMs;
  const before = zone.offsetAt(localMs - dayMs);
  const after = zone.offsetAt(localMs + dayMs);
  if (before === after || zone.offsetAt(localMs - before) === before) return localMs - before;
  return zone.offsetAt(localMs - after) === after ? localMs - after : localMs - before;
}
