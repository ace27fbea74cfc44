/** Characters up to this code are spaces: spaces, tabs, line ends and other control characters. */
export const space = 32;

/** Returns the index of the first non-space at or after `from`, or the length of the text. */
export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= space) at++;
  return at;
}

/** Sets a field of a log line unless its value is empty or a dash, which mean "no value". */
export function setPresent(fields: Record<string, unknown>, name: string, value: string): void {
  if (value !== "" && value !== "-") fields[name] = value;
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  '"': '"',
  "\\": "\\",
  "/": "/",
};

/** Decodes JSON's escapes; a backslash before any other character is kept. */
export function unescapeLoosely(text: string): string {
  let start = text.indexOf("\\");
  if (start === -1) return text;
  let result = "";
  let from = 0;
  for (; start !== -1; start = text.indexOf("\\", from)) {
    result += text.slice(from, start);
    const next = text[start + 1];
    if (next === "u" && isHex(text, start + 2, 4)) {
      result += String.fromCharCode(Number.parseInt(text.slice(start + 2, start + 6), 16));
      from = start + 6;
    } else if (next !== undefined && Object.hasOwn(escapes, next)) {
      result += escapes[next];
      from = start + 2;
    } else {
      result += "\\";
      from = start + 1;
    }
  }
  return result + text.slice(from);
}

function isHex(text: string, from: number, count: number): boolean {
  for (let at = from; at < from + count; at++) {
    if (!"0123456789abcdefABCDEF".includes(text[at] ?? " ")) return false;
  }
  return true;
}

/**
 * Returns the position of the quote that closes the one before `from`, or −1. A backslash escapes the next character.
 */
export function quoteEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Reads a text in double quotes that starts at `at`; undefined when it is not closed. */
export function readQuoted(text: string, at: number): { value: string; end: number } | undefined {
  const end = quoteEnd(text, at + 1);
  return end === -1 ? undefined : { value: unescapeLoosely(text.slice(at + 1, end)), end: end + 1 };
}
