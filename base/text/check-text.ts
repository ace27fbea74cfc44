import { quoteText } from "./quote.ts";

/** Control characters, lone surrogates and invisible characters. */
const unreadable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** What is wrong with a value; undefined if it is valid. */
export type Problem = string | undefined;

/** Checks a display name: 1 to `max` characters, counted as code points. */
export function checkDisplayName(text: string, max: number): Problem {
  return checkLength(text, max) ?? (text.trim() === "" ? "is required" : checkLine(text, max));
}

/** Checks a text of one line, which may be empty. */
export function checkLine(text: string, max: number): Problem {
  const tooLong = checkLength(text, max);
  if (tooLong !== undefined) return tooLong;
  if (text !== text.trim()) return `is ${quoteText(text)}, spaces at its ends are not valid`;
  return unreadable.test(text) ? "contains a control character, which is not valid" : undefined;
}

/** Checks a text of several lines, which may be empty. */
export function checkText(text: string, max: number): Problem {
  const tooLong = checkLength(text, max);
  if (tooLong !== undefined) return tooLong;
  return text.includes("\0") ? "contains a NUL character, which is not valid" : undefined;
}

/** Checks that a text has at most `max` code points. */
export function checkLength(text: string, max: number): Problem {
  if (text.length <= max) return undefined;
  let length = text.length;
  for (let i = 1; i < text.length; i++) if (isPair(text.charCodeAt(i - 1), text.charCodeAt(i))) length--;
  return length <= max ? undefined : `has ${length} characters, at most ${max} are valid`;
}

function isPair(first: number, second: number): boolean {
  return first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}
