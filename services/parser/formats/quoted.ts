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

/** Undoes JSON's escapes; a backslash before anything else stays as it is. */
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

/** The position of the quote that closes the one before `from`; −1 without one. A backslash takes the next character. */
export function quoteEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Reads a text in double quotes that starts at `at`. */
export function readQuoted(text: string, at: number): { value: string; end: number } | undefined {
  const end = quoteEnd(text, at + 1);
  return end === -1 ? undefined : { value: unescapeLoosely(text.slice(at + 1, end)), end: end + 1 };
}
