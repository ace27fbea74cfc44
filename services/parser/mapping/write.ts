/** Longest text that is looked through here: beyond it JSON.stringify is faster. */
const maxScanned = 48;

const quoteCode = 34;
const backslashCode = 92;

/**
 * The JSON text of a value. `plain` says that a text holds nothing that needs escaping: true for any text of a
 * JSON line without a backslash, which saves looking through it. Throws a RangeError for infinite numbers, which
 * JSON.stringify would print as null.
 */
export function writeJson(value: unknown, plain: boolean): string {
  if (typeof value === "string") return plain ? `"${value}"` : writeText(value);
  if (typeof value === "number") return writeNumber(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  return JSON.stringify(value);
}

function writeNumber(value: number): string {
  if (value - value !== 0) throw new RangeError("number beyond 1.8e308");
  return `${value}`;
}

function writeText(text: string): string {
  if (text.length > maxScanned) return JSON.stringify(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === quoteCode || code === backslashCode || code >= 0xd800)
      return JSON.stringify(text);
  }
  return `"${text}"`;
}
