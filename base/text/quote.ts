import { BigNumber } from "../json/exact-numbers.ts";
import { cutText } from "./cut.ts";

/** The characters of a value that are quoted, so that the message has room for the valid values. */
const maxQuotedLength = 100;

/** Quotes a text for a message; a long one by its beginning and length. */
export function quoteText(text: string): string {
  if (text.length <= maxQuotedLength) return JSON.stringify(text);
  return `${JSON.stringify(shorten(text))} (${text.length} characters)`;
}

/** The values of a list that are quoted, so that a message stays readable. */
const maxListLength = 1_000;

/** Lists texts for a message; a long list by its beginning and the number of further texts. */
export function quoteList(texts: readonly string[]): string {
  let listed = "";
  for (const [i, text] of texts.entries()) {
    if (listed.length > maxListLength) return `${listed} and ${texts.length - i} more`;
    listed += `${i === 0 ? "" : ", "}${quoteText(text)}`;
  }
  return listed;
}

/** Shortens a text that a message contains without quotes, such as the path of a field. */
export function shorten(text: string): string {
  return text.length <= maxQuotedLength ? text : `${cutText(text, maxQuotedLength)}…`;
}

/** Quotes a value for a message; lists and objects by their kind only, BigNumbers by their digits. */
export function quote(value: unknown): string {
  if (value instanceof BigNumber) return shorten(value.digits);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? quoteText(value) : value === undefined ? "nothing" : String(value);
}
