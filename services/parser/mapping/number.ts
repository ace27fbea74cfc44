import { type RawNumber, rawNumber } from "../../../base/json/exact-numbers.ts";

function digitsEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code < 48 || code > 57) break;
    end++;
  }
  return end;
}

/**
 * Reads a decimal number: sign, digits with leading zeros, decimals, exponent, spaces around it. Integers beyond 2^53
 * keep their digits. Returns undefined for other texts and for numbers beyond 1.8e308.
 */
export function readNumber(source: string): number | RawNumber | undefined {
  return readDigits(source) ?? readDecimal(source);
}

/** Reads the usual case: up to 15 digits and nothing else. */
function readDigits(text: string): number | undefined {
  if (text.length === 0 || text.length > 15) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

function readDecimal(source: string): number | RawNumber | undefined {
  const text = source.trim();
  const start = text[0] === "-" || text[0] === "+" ? 1 : 0;
  const whole = digitsEnd(text, start);
  let end = whole;
  if (text[end] === ".") end = digitsEnd(text, end + 1);
  if (whole === start && end <= whole + 1) return undefined;
  const isInteger = end === text.length && end === whole;
  if (text[end] === "e" || text[end] === "E") {
    const sign = text[end + 1] === "-" || text[end + 1] === "+" ? 1 : 0;
    const exponent = end + 1 + sign;
    end = digitsEnd(text, exponent);
    if (end === exponent) return undefined;
  }
  if (end !== text.length) return undefined;
  const value = Number(text);
  if (isInteger && !Number.isSafeInteger(value)) return rawNumber(canonicalInteger(text, start));
  return Number.isFinite(value) ? value : undefined;
}

/** JSON allows neither a plus sign nor leading zeros. */
function canonicalInteger(text: string, start: number): string {
  let first = start;
  while (text[first] === "0") first++;
  return `${text[0] === "-" ? "-" : ""}${text.slice(first)}`;
}
