import { setKey } from "../../../base/json/raw-numbers.ts";
import { quoteEnd } from "./tokens.ts";

type Parameters = Record<string, unknown>;

/**
 * Reads STRUCTURED-DATA of RFC 5424, section 6.3: `-` or `[id name="value" …]…`, as an object of objects. Returns
 * undefined when it is malformed.
 */
export function readStructuredData(
  text: string,
  from: number,
): { value: Readonly<Record<string, Parameters>> | undefined; end: number } | undefined {
  if (text[from] === "-" && (from + 1 === text.length || text[from + 1] === " ")) {
    return { value: undefined, end: from + 1 };
  }
  if (text[from] !== "[") return undefined;
  const value: Record<string, Parameters> = {};
  let at = from;
  while (text[at] === "[") {
    const idEnd = nameEnd(text, at + 1);
    if (idEnd === at + 1) return undefined;
    const parameters: Parameters = {};
    const end = readParameters(text, idEnd, parameters);
    if (end === -1) return undefined;
    setKey(value, text.slice(at + 1, idEnd), parameters);
    at = end;
  }
  return at === text.length || text[at] === " " ? { value, end: at } : undefined;
}

/** Reads ` name="value"…]`; returns the position after the bracket, or −1. */
function readParameters(text: string, from: number, parameters: Parameters): number {
  let at = from;
  while (text[at] === " ") {
    const end = nameEnd(text, at + 1);
    if (end === at + 1 || text[end] !== "=" || text[end + 1] !== '"') return -1;
    const close = quoteEnd(text, end + 2);
    if (close === -1) return -1;
    setKey(parameters, text.slice(at + 1, end), unescapeValue(text.slice(end + 2, close)));
    at = close + 1;
  }
  return text[at] === "]" ? at + 1 : -1;
}

/** Returns the end of a name: printable ASCII without `=`, space, `]` and `"`. */
function nameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) > 32 && !'=]"'.includes(text[at]!)) at++;
  return at;
}

/** Decodes escaped quotes, backslashes and brackets; other backslashes are literal. */
function unescapeValue(text: string): string {
  if (!text.includes("\\")) return text;
  let result = "";
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\" && '"\\]'.includes(text[at + 1] ?? " ")) at++;
    result += text[at];
  }
  return result;
}
