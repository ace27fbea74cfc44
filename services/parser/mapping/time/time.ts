import { quoteText } from "../../../../base/text/quote.ts";
import { daysSince1970 } from "../../../../base/time/calendar.ts";
import { knownZones } from "../../../../base/time/known-zones.ts";
import { formatLocalTime, maxLocalMs, minLocalMs } from "../../../../base/time/local-time.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "../../../../base/time/units.ts";
import { compileZone, fixedZone, readOffset, toInstant, utc, type Zone } from "../../../../base/time/zone.ts";
import { type Refusal, refuse } from "../../line/line.ts";
import type { ConfigPath, Problems } from "../problems.ts";
import { textOf } from "../template.ts";
import { isRealTime, type TimeFields } from "./fields.ts";
import { compileTimePattern, fractionStep } from "./pattern.ts";

/** A time as it is written, and its hours east of UTC, where known. */
export interface WrittenTime {
  readonly text: string;
  readonly offsetHours: number | undefined;
}

export type ReadTimeValue = (value: unknown) => WrittenTime | Refusal;

/** Reads a text as an instant or as the fields of a time. */
type Read = (text: string) => number | TimeFields | undefined;

export interface TimeConfig {
  readonly format?: readonly string[] | undefined;
  readonly zone?: string | undefined;
  readonly outputZone?: string | undefined;
}

/**
 * Compiles the conversion of `iso`, `unix`, `unix_ms` or a pattern to `yyyy-MM-dd HH:mm:ss.SSS` in the output zone. A
 * text without a zone is a time of the input zone; without any zone the time is written as read and has no offset.
 */
export function compileTime(
  config: TimeConfig,
  now: () => number,
  at: ConfigPath,
  problems: Problems,
): ReadTimeValue {
  const reads = (config.format ?? ["iso"]).map((name, index) =>
    compileRead(name, [...at, "format", index], problems),
  );
  const zone = compileZoneOf(config.zone, [...at, "zone"], problems);
  const outputZone = compileZoneOf(config.outputZone, [...at, "outputZone"], problems) ?? zone;
  const wanted = (config.format ?? ["iso"]).join(" or ");
  const write = (text: string): WrittenTime | Refusal => {
    for (const read of reads) {
      const found = read(text);
      if (found === undefined) continue;
      const written = writeTime(found, zone ?? outputZone, outputZone, now);
      if (written !== undefined) return written;
    }
    return refuse("invalid_value", `${quoteText(text)} is not a time of the format ${wanted}`);
  };
  return cacheLast(write);
}

/** Caches the last time: neighbouring lines often have the same, and an entry may read its text and its offset. */
function cacheLast(write: (text: string) => WrittenTime | Refusal): ReadTimeValue {
  let lastText: string | undefined;
  let last: WrittenTime | Refusal | undefined;
  return (value) => {
    const text = typeof value === "string" ? value : textOf(value);
    if (last === undefined || text !== lastText) {
      last = write(isTrimmed(text) ? text : text.trim());
      lastText = text;
    }
    return last;
  };
}

function isTrimmed(text: string): boolean {
  return text.charCodeAt(0) > 32 && text.charCodeAt(text.length - 1) > 32;
}

function compileZoneOf(name: string | undefined, at: ConfigPath, problems: Problems): Zone | undefined {
  if (name === undefined) return undefined;
  const zone = compileZone(name);
  if (zone === undefined) {
    problems.add(at, `unknown zone ${quoteText(name)}, ${knownZones(name)}`);
  }
  return zone;
}

function compileRead(name: string, at: ConfigPath, problems: Problems): Read {
  if (name === "iso") return readIso;
  if (name === "unix") return (text) => readUnix(text, secondMs);
  if (name === "unix_ms") return (text) => readUnix(text, 1);
  const read = compileTimePattern(name);
  if (typeof read !== "string") return read;
  problems.add(at, `bad time pattern ${quoteText(name)}: ${read} (or iso, unix, unix_ms)`);
  return () => undefined;
}

function writeTime(
  found: number | TimeFields,
  zone: Zone | undefined,
  outputZone: Zone | undefined,
  now: () => number,
): WrittenTime | undefined {
  if (typeof found === "number") return writeInstant(found, outputZone ?? utc);
  const inputZone = found.zone ?? zone;
  const local = localOf(found, found.year ?? yearNear(found, inputZone, now()));
  if (inputZone === undefined) return written(local, undefined);
  const target = outputZone ?? inputZone;
  if (target === inputZone && target.fixedMs !== undefined) return written(local, target.fixedMs);
  const instant = toInstant(inputZone, local);
  // A time that its zone skips is written unchanged, with the offset that gives its instant.
  return target === inputZone ? written(local, local - instant) : writeInstant(instant, target);
}

function writeInstant(instant: number, zone: Zone): WrittenTime | undefined {
  const offset = zone.offsetAt(instant);
  return written(instant + offset, offset);
}

function written(localMs: number, offsetMs: number | undefined): WrittenTime | undefined {
  if (localMs < minLocalMs || localMs > maxLocalMs) return undefined;
  return {
    text: formatLocalTime(localMs),
    offsetHours: offsetMs === undefined ? undefined : offsetMs / hourMs,
  };
}

/** Returns the local time in ms. A leap second becomes the last millisecond before it, so that the minute is kept. */
function localOf({ month, day, hour, minute, second, millisecond }: TimeFields, year: number): number {
  const ofMinute = second === 60 ? minuteMs - 1 : second * secondMs + millisecond;
  return daysSince1970(year, month, day) * dayMs + (hour * 60 + minute) * minuteMs + ofMinute;
}

/** Returns the latest year in which the time is at most a day in the future. */
function yearNear(fields: TimeFields, zone: Zone | undefined, nowMs: number): number {
  const latest = nowMs + (zone ?? utc).offsetAt(nowMs) + dayMs;
  let year = new Date(latest).getUTCFullYear();
  while (localOf(fields, year) > latest || !isRealTime({ ...fields, year })) year--;
  return year;
}

/** Reads seconds or milliseconds since 1970: digits, optionally with a sign and decimals. */
function readUnix(text: string, unitMs: number): number | undefined {
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if ((char < "0" || char > "9") && char !== "." && !(char === "-" && at === 0)) return undefined;
  }
  const ms = text === "" ? Number.NaN : Math.floor(Number(text) * unitMs + 1e-6);
  return ms > minLocalMs + dayMs && ms < maxLocalMs - dayMs ? ms : undefined;
}

const readDate = compileTimePattern("yyyy-MM-dd");
const readMinute = compileTimePattern("yyyy-MM-dd HH:mm");
const readSecond = compileTimePattern("yyyy-MM-dd HH:mm:ss");
const fraction = fractionStep(0);

/** Reads ISO 8601 calendar times: a space or T before the time; seconds, decimals and zone are optional. */
function readIso(text: string): TimeFields | undefined {
  const length = text[16] === ":" ? 19 : text.length > 10 ? 16 : 10;
  const read = length === 19 ? readSecond : length === 16 ? readMinute : readDate;
  const separator = text[10] === "T" || text[10] === "t";
  const head = separator ? `${text.slice(0, 10)} ${text.slice(11, length)}` : text.slice(0, length);
  const fields = typeof read === "string" ? undefined : read(head);
  if (fields === undefined) return undefined;
  let at = length;
  if (length === 19 && (text[at] === "." || text[at] === ",")) at = fraction(text, at + 1, fields);
  if (at < 0) return undefined;
  if (at < text.length) {
    const offset = readOffset(text, text[at] === " " ? at + 1 : at);
    if (offset?.end !== text.length) return undefined;
    fields.zone = fixedZone(offset.offsetMs);
  }
  return fields;
}
