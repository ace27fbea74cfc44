/** Of a value of the caller, so that what is valid still has its place in the message. */
const maxQuotedLength = 100;

/** A text as a message quotes it; of a long one its beginning and its length. */
export function quoteText(text: string): string {
  if (text.length <= maxQuotedLength) return JSON.stringify(text);
  return `${JSON.stringify(shorten(text))} (${text.length} characters)`;
}

/** Of a list of values, so that a message stays readable. */
const maxListLength = 1_000;

/** Texts as a message lists them; of a long list the beginning, and how many more there are. */
export function quoteList(texts: readonly string[]): string {
  let listed = "";
  for (const [i, text] of texts.entries()) {
    if (listed.length > maxListLength) return `${listed} and ${texts.length - i} more`;
    listed += `${i === 0 ? "" : ", "}${quoteText(text)}`;
  }
  return listed;
}

/** A text as a message tells it without quotes, such as the path of a field. */
export function shorten(text: string): string {
  if (text.length <= maxQuotedLength) return text;
  // Not between the halves of a pair.
  return `${text.slice(0, maxQuotedLength).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A value as a message quotes it: lists and objects only by their kind. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? quoteText(value) : value === undefined ? "nothing" : String(value);
}
