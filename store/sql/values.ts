import { randomInt } from "node:crypto";

/** @throws RangeError unless the value is a whole number from `min` to `max` */
export function checkRange(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(`${field} is ${value}, not a whole number from ${min} to ${max}`);
}

/** Returns a random key for a lease or a share, which can't be guessed. */
export function newKey(): number {
  return randomInt(1, 2 ** 48 - 1);
}

/**
 * Returns a text which both engines can store, of at most 2,000 characters. Reasons may quote a
 * receiver's reply, and PostgreSQL's text can't contain NUL.
 */
export function toStorableText(text: string): string {
  return text.slice(0, 2_000).toWellFormed().replaceAll("\0", "\u{FFFD}");
}
