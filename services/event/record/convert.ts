import { stringifyExactJson } from "../../../base/json/exact-numbers.ts";
import { isDecimal } from "../../../base/text/decimal.ts";
import { parseLocalTime } from "../../../base/time/local-time.ts";
import type { PropertyType } from "../../../store/events/events.ts";
import type { Draft } from "./draft.ts";
import type { CheckedValue, DropReason } from "./record.ts";

export const maxTextBytes = 2_048;
export const maxListElements = 500;
/** Bytes of an object or group as JSON. */
const maxJsonBytes = 262_144;
/** Writing JSON recurses for each level. */
const maxJsonDepth = 32;

type Scalar = string | number | boolean;

/** Reports whether there is no value: null, an empty text, list or object. */
export function isMissing(raw: unknown): boolean {
  if (typeof raw !== "object") return raw === "" || raw === undefined;
  if (raw === null) return true;
  if (Array.isArray(raw)) return raw.every((element) => element === null);
  for (const _ in raw) return false;
  return true;
}

export function isObject(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

export function isGroup(raw: unknown): raw is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(raw) && raw.length > 0 && raw.every(isObject);
}

/** Returns the type that a value gives to a new property. */
export function naturalType(raw: unknown): PropertyType {
  if (typeof raw === "string") return parseLocalTime(raw) === undefined ? "text" : "time";
  // A number would be rounded; a text keeps its digits.
  if (typeof raw === "number" || typeof raw === "bigint") return isBeyondRange(raw) ? "text" : "number";
  if (typeof raw === "boolean") return "boolean";
  if (isObject(raw)) return "object";
  return isGroup(raw) ? "object_group" : "list";
}

/** Converts a value to a type, except objects and groups; undefined if it does not convert exactly. */
export function convert(raw: unknown, type: PropertyType, draft: Draft): CheckedValue["value"] | undefined {
  if (type === "list") return Array.isArray(raw) ? convertList(raw) : undefined;
  return convertScalar(raw, type, draft);
}

export function convertScalar(raw: unknown, type: PropertyType, draft: Draft): Scalar | undefined {
  if (type === "text") return convertText(raw);
  if (type === "number") return convertNumber(raw);
  if (type === "boolean") {
    if (typeof raw === "boolean") return raw;
    return raw === "true" ? true : raw === "false" ? false : undefined;
  }
  const localMs = type === "time" && typeof raw === "string" ? parseLocalTime(raw) : undefined;
  return localMs === undefined || draft.table === "user" ? localMs : draft.toInstant(localMs);
}

function isNumberText(text: string): boolean {
  return text.length <= maxTextBytes && isDecimal(text);
}

/** JSON writes this and larger numbers with an exponent. They are measurements, since ids are smaller. */
const firstWithExponent = 1e21;

/** Reports whether a whole number is so large that a double may be another number. */
export function isBeyondRange(number: number | bigint): boolean {
  if (typeof number === "bigint") return !Number.isSafeInteger(Number(number));
  const size = Math.abs(number);
  return size > Number.MAX_SAFE_INTEGER && size < firstWithExponent;
}

export function convertNumber(raw: unknown): number | undefined {
  if (typeof raw === "string") return isNumberText(raw) ? finite(Number(raw), raw) : undefined;
  if (typeof raw !== "number") return typeof raw === "bigint" ? finite(Number(raw), raw) : undefined;
  return finite(raw, raw);
}

function finite(number: number, raw: number | string | bigint): number | undefined {
  const isStorable = Number.isFinite(number) && !isBeyondRange(typeof raw === "bigint" ? raw : number);
  return isStorable ? number : undefined;
}

function convertText(raw: unknown): string | undefined {
  if (typeof raw === "string") return isShort(raw, maxTextBytes) ? raw.toWellFormed() : undefined;
  // 1e400 is a number in JSON, but not a finite double.
  if (typeof raw === "number") return Number.isFinite(raw) ? String(raw) : undefined;
  if (typeof raw === "bigint") return convertText(String(raw));
  return typeof raw === "boolean" ? String(raw) : undefined;
}

/** Converts the elements of a list to texts, without nulls. */
function convertList(raw: readonly unknown[]): readonly string[] | undefined {
  if (raw.length > maxListElements) return undefined;
  const texts: string[] = [];
  for (const element of raw) {
    if (element === null) continue;
    const text = convertText(typeof element === "object" ? jsonTextOf(element) : element);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}

/** Reports whether a text has at most `maxBytes` bytes in UTF-8. A code unit has at most three. */
export function isShort(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes);
}

/** Writes JSON; undefined if it is too deep or too long. */
export function jsonTextOf(raw: unknown): string | undefined {
  if (!isShallow(raw, maxJsonDepth)) return undefined;
  const text = stringify(raw);
  return isShort(text, maxJsonBytes) ? text : undefined;
}

/**
 * Writes JSON without lone surrogates, which stores refuse: they become U+FFFD, as in all texts. `JSON.stringify`
 * escapes only lone surrogates.
 */
export function stringify(raw: unknown): string {
  const text = stringifyExactJson(raw);
  if (!text.includes("\\ud")) return text;
  return text.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (part) => (part.length > 2 ? "\ufffd" : part));
}

export function isShallow(raw: unknown, levels: number): boolean {
  if (typeof raw !== "object" || raw === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(raw)) return raw.every((element) => isShallow(element, levels - 1));
  for (const key in raw) {
    if (!isShallow((raw as Readonly<Record<string, unknown>>)[key], levels - 1)) return false;
  }
  return true;
}

/** Returns why `convert` or `jsonTextOf` does not convert a value. */
export function misfitReason(raw: unknown, type: PropertyType): DropReason {
  if (typeof raw === "number" && !Number.isFinite(raw)) return "range";
  if (typeof raw === "number" || typeof raw === "bigint") return type === "number" ? "number_range" : "type";
  if (typeof raw === "string") return misfitOfText(raw, type);
  const isOfType = Array.isArray(raw) ? type === "list" || type === "object_group" : type === "object";
  if (!isOfType) return "type";
  if (Array.isArray(raw)) {
    if (raw.length > maxListElements) return "too_many";
    if (raw.some((one) => typeof one === "number" && !Number.isFinite(one))) return "range";
  }
  return isShallow(raw, maxJsonDepth) ? "too_long" : "too_deep";
}

function misfitOfText(text: string, type: PropertyType): DropReason {
  if (type === "text") return "too_long";
  if (type !== "number" || !isNumberText(text)) return "type";
  return Number.isFinite(Number(text)) ? "number_range" : "range";
}
