import { compileZone, fixedZone, readOffset, type Zone } from "../../../../base/time/zone.ts";
import { emptyFields, isRealTime, type ReadTime, type TimeFields } from "./fields.ts";
import { compileFixedPattern, type Token } from "./fixed-pattern.ts";

/** Reads from a position; returns the position after it, or −1 when the text does not match. */
type Step = (text: string, at: number, fields: TimeFields) => number;

const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

const letters =
  "yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h mm m ss s SSS (1 to 9 S) a XXX XX X xxx xx x Z z and 'text'";

/**
 * Compiles a pattern such as `dd/MMM/yyyy:HH:mm:ss Z`. A text matches when all of it is read and the time exists.
 * Returns the message of a fault in the pattern.
 */
export function compileTimePattern(pattern: string): ReadTime | string {
  if (pattern.split("'").length % 2 === 0) return "a quote is not closed";
  const tokens = tokensOf(pattern);
  const steps: Step[] = [];
  for (const [at, token] of tokens.entries()) {
    const step = token.literal ? literalStep(token.text) : fieldStep(token.text, isNumeric(tokens[at + 1]));
    if (step === undefined) return `unknown letters ${JSON.stringify(token.text)}, valid: ${letters}`;
    steps.push(step);
  }
  const used = new Set(tokens.filter((token) => !token.literal).map((token) => token.text[0]));
  if (!used.has("M") || !used.has("d")) return "a pattern needs at least a month and a day";
  if (used.has("h") && !used.has("a")) return "an hour of 1 to 12 (h) needs am or pm (a), 0 to 23 is H";
  return compileFixedPattern(tokens) ?? ((text) => readAll(steps, text));
}

function readAll(steps: readonly Step[], text: string): TimeFields | undefined {
  const fields = emptyFields();
  let at = 0;
  for (const step of steps) {
    at = step(text, at, fields);
    if (at < 0) return undefined;
  }
  if (at !== text.length) return undefined;
  if (fields.half !== undefined) {
    if (fields.hour < 1 || fields.hour > 12) return undefined;
    fields.hour = (fields.hour % 12) + (fields.half === "pm" ? 12 : 0);
  }
  return isRealTime(fields) ? fields : undefined;
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at]!;
    if (char === "'") {
      const end = quotedEnd(pattern, at);
      const text = pattern.slice(at + 1, end - 1).replaceAll("''", "'");
      tokens.push({ literal: true, text: text === "" ? "'" : text });
      at = end;
      continue;
    }
    let end = at + 1;
    while (isLetter(char) && pattern[end] === char) end++;
    tokens.push({ literal: !isLetter(char), text: pattern.slice(at, end) });
    at = end;
  }
  return tokens;
}

/** Returns the position after the quoted text that starts at `at`, in which a quote is doubled. */
function quotedEnd(pattern: string, at: number): number {
  let end = pattern.indexOf("'", at + 1);
  while (end > at + 1 && pattern[end + 1] === "'") end = pattern.indexOf("'", end + 2);
  return end === -1 ? pattern.length : end + 1;
}

function isLetter(char: string): boolean {
  return (char >= "a" && char <= "z") || (char >= "A" && char <= "Z");
}

function isNumeric(token: Token | undefined): boolean {
  return token !== undefined && !token.literal && "yMdHhmsS".includes(token.text[0]!);
}

function literalStep(literal: string): Step {
  const code = literal.charCodeAt(0);
  if (literal.length === 1) return (text, at) => (text.charCodeAt(at) === code ? at + 1 : -1);
  return (text, at) => (text.startsWith(literal, at) ? at + literal.length : -1);
}

type NumberField = "year" | "month" | "day" | "hour" | "minute" | "second";

const numberFields: Readonly<Record<string, NumberField>> = {
  M: "month",
  d: "day",
  H: "hour",
  h: "hour",
  m: "minute",
  s: "second",
};

function fieldStep(run: string, numberFollows: boolean): Step | undefined {
  const letter = run[0]!;
  if (letter === "y") return run.length === 4 ? yearStep : run.length === 2 ? shortYearStep : undefined;
  if (letter === "S") return run.length <= 9 ? fractionStep(numberFollows ? run.length : 0) : undefined;
  if (letter === "M" && run.length > 2) return run.length <= 4 ? monthNameStep : undefined;
  if (letter === "E") return weekdayStep;
  if (letter === "a") return run.length === 1 ? halfStep : undefined;
  if (letter === "X" || letter === "x") return run.length <= 3 ? offsetStep : undefined;
  if (letter === "Z" || letter === "z") return zoneStep;
  const field = Object.hasOwn(numberFields, letter) ? numberFields[letter] : undefined;
  if (field === undefined || run.length > 2) return undefined;
  return run.length === 2 ? digitsStep(field) : shortDigitsStep(field);
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function digitsStep(field: NumberField): Step {
  return (text, at, fields) => {
    const tens = digitAt(text, at);
    const ones = digitAt(text, at + 1);
    if (tens < 0 || ones < 0) return -1;
    fields[field] = tens * 10 + ones;
    return at + 2;
  };
}

/** Reads one digit or two after spaces, with which syslog pads days. */
function shortDigitsStep(field: NumberField): Step {
  return (text, at, fields) => {
    let start = at;
    while (text[start] === " ") start++;
    const first = digitAt(text, start);
    if (first < 0) return -1;
    const second = digitAt(text, start + 1);
    fields[field] = second < 0 ? first : first * 10 + second;
    return second < 0 ? start + 1 : start + 2;
  };
}

const yearStep: Step = (text, at, fields) => {
  let year = 0;
  for (let digit = 0; digit < 4; digit++) {
    const value = digitAt(text, at + digit);
    if (value < 0) return -1;
    year = year * 10 + value;
  }
  fields.year = year;
  return at + 4;
};

/** Reads 69 to 99 as 1969 to 1999, as POSIX does. */
const shortYearStep: Step = (text, at, fields) => {
  const tens = digitAt(text, at);
  const ones = digitAt(text, at + 1);
  if (tens < 0 || ones < 0) return -1;
  const year = tens * 10 + ones;
  fields.year = year + (year >= 69 ? 1900 : 2000);
  return at + 2;
};

/** Reads `width` decimals of a second, or for 0 all up to 9; decimals after milliseconds are cut. */
export function fractionStep(width: number): Step {
  const most = width === 0 ? 9 : width;
  return (text, at, fields) => {
    let count = 0;
    let ms = 0;
    for (; count < most; count++) {
      const digit = digitAt(text, at + count);
      if (digit < 0) break;
      if (count < 3) ms = ms * 10 + digit;
    }
    if (count === 0 || (width !== 0 && count !== width)) return -1;
    fields.millisecond = ms * 10 ** Math.max(0, 3 - count);
    return at + count;
  };
}

function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isLetter(text[end]!)) end++;
  return end;
}

const monthNameStep: Step = (text, at, fields) => {
  const end = wordEnd(text, at);
  const word = text.slice(at, Math.min(end, at + 10)).toLowerCase();
  const month = months.findIndex((name) => name === word || name.slice(0, 3) === word);
  if (month < 0) return -1;
  fields.month = month + 1;
  return end;
};

const weekdayStep: Step = (text, at) => {
  const end = wordEnd(text, at);
  return end - at >= 2 ? end : -1;
};

const halfStep: Step = (text, at, fields) => {
  const word = text.slice(at, at + 2).toLowerCase();
  if (word !== "am" && word !== "pm") return -1;
  fields.half = word;
  return at + 2;
};

const offsetStep: Step = (text, at, fields) => {
  const offset = readOffset(text, at);
  if (offset === undefined) return -1;
  fields.zone = fixedZone(offset.offsetMs);
  return offset.end;
};

/** Most zones that are cached, since their names come from data. */
const maxZones = 200;
const zones = new Map<string, Zone | undefined>();

/** Reads an offset, UTC, GMT or an IANA name. Abbreviations are refused: most are ambiguous. */
const zoneStep: Step = (text, at, fields) => {
  const asOffset = offsetStep(text, at, fields);
  if (asOffset >= 0) return asOffset;
  let end = at;
  while (end < text.length && (isLetter(text[end]!) || "/_-+".includes(text[end]!))) end++;
  const name = text.slice(at, Math.min(end, at + 64));
  if (!zones.has(name)) {
    if (zones.size >= maxZones) zones.clear();
    zones.set(name, name === "UTC" || name === "GMT" || name.includes("/") ? compileZone(name) : undefined);
  }
  fields.zone = zones.get(name);
  return fields.zone === undefined ? -1 : end;
};
