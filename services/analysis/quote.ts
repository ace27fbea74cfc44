/** Of a value of the caller, so that what is valid still has its place in the message. */
const maxQuotedLength = 100;

/** A text as a message quotes it; of a long one its beginning and its length. */
export function quoteText(text: string): string {
  if (text.length <= maxQuotedLength) return JSON.stringify(text);
  return `${JSON.stringify(shorten(text))} (${text.length} characters)`;
}

/** A text as a message tells it without quotes: digits, or a part of a formula. */
export function shorten(text: string): string {
  if (text.length <= maxQuotedLength) return text;
  // Not between the halves of a pair.
  return `${text.slice(0, maxQuotedLength).replace(/[\ud800-\udbff]$/, "")}…`;
}
