import { isAscii, isUtf8 } from "node:buffer";
import type { JsonValue } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { describeJsonExcess, findJsonExcess, type JsonBounds } from "../../base/json/bounds.ts";
import { parseExactly } from "../../base/json/exact-numbers.ts";
import { badRequest } from "./violations.ts";

/**
 * The JSON value of a body. Throws INVALID_ARGUMENT that names the bound that the
 * body goes beyond, the byte at which it stops to be UTF-8, or the character at
 * which it stops to be JSON.
 */
export function parseJson(body: Buffer, bounds: JsonBounds): JsonValue {
  return parseJsonText(readJsonText(body, bounds));
}

/** The text of a body that keeps the bounds, without a byte order mark. */
export function readJsonText(body: Buffer, bounds: JsonBounds): string {
  const excess = findJsonExcess(body, bounds);
  if (excess !== undefined) {
    const description = describeJsonExcess(excess);
    throw badRequest([{ field: "body", description, reason: "JSON_LIMIT_EXCEEDED" }]);
  }
  // Most bodies are ASCII, of which a decoder makes a text in twice the time.
  if (isAscii(body)) return body.toString("latin1");
  if (!isUtf8(body)) throw notUtf8(body);
  const text = body.toString("utf8");
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

const byteOrderMark = 0xfeff;

/** Numbers that no double holds become BigNumbers, unless it need not be exact. */
export function parseJsonText(text: string, isExact = true): JsonValue {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw notJson(text);
  }
  return (isExact ? parseExactly(text, json) : json) as JsonValue;
}

function notUtf8(body: Buffer): ConnectError {
  const replaced = Buffer.from(body.toString("utf8"), "utf8");
  const at = body.findIndex((byte, i) => byte !== replaced[i]);
  const description = `byte 0x${body[at]?.toString(16)} at offset ${at} is not UTF-8`;
  return badRequest([{ field: "body", description, reason: "INVALID_UTF8" }]);
}

function notJson(text: string): ConnectError {
  const at = findJsonError(text) ?? text.length;
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", lineStart)) {
    line++;
    lineStart = end + 1;
  }
  const column = at - lineStart + 1;
  const found =
    at >= text.length
      ? "the text ends"
      : `${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} is unexpected`;
  const description = `not JSON: ${found} at position ${at} (line ${line}, column ${column})`;
  return badRequest([{ field: "body", description, reason: "INVALID_JSON" }]);
}

/** `value` a value must follow, `first` the same or the end of an empty list, and so on. */
type Expected = "value" | "first" | "key" | "firstKey" | "colon" | "next" | "end";

const scalar = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/**
 * Where a text stops to be JSON, or undefined if it is JSON. V8 names the place
 * in some of its messages only, so this walks the text again after it failed.
 */
export function findJsonError(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  const afterValue = (): Expected => (open.length === 0 ? "end" : "next");
  let expected = "value" as Expected;
  let at = 0;
  for (;;) {
    while (at < text.length && " \t\r\n".includes(text[at] as string)) at++;
    const char = text[at];
    if (expected === "end") return char === undefined ? undefined : at;
    if (char === undefined) return at;
    const isString: boolean = char === '"' && expected !== "colon" && expected !== "next";
    if (closes(char, open.at(-1), expected)) {
      open.pop();
      at++;
      expected = afterValue();
    } else if (isString) {
      const { end, isWhole } = scanString(text, at);
      if (!isWhole) return end;
      at = end;
      expected = expected === "key" || expected === "firstKey" ? "colon" : afterValue();
    } else if (expected === "key" || expected === "firstKey") {
      return at;
    } else if (expected === "colon" || expected === "next") {
      if (char !== (expected === "colon" ? ":" : ",")) return at;
      expected = expected === "colon" || open.at(-1) === "[" ? "value" : "key";
      at++;
    } else if (char === "{" || char === "[") {
      open.push(char);
      at++;
      expected = char === "{" ? "firstKey" : "first";
    } else {
      scalar.lastIndex = at;
      if (!scalar.test(text)) return at;
      at = scalar.lastIndex;
      expected = afterValue();
    }
  }
}

function closes(char: string, open: "{" | "[" | undefined, expected: Expected): boolean {
  if (char === "]") return open === "[" && (expected === "first" || expected === "next");
  return char === "}" && open === "{" && (expected === "firstKey" || expected === "next");
}

/** A loop, for a regular expression would run out of stack on long strings. */
function scanString(text: string, start: number): { end: number; isWhole: boolean } {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === 34 /* quote */) return { end: at + 1, isWhole: true };
    if (char < 32) break;
    if (char !== 92 /* backslash */) at++;
    else if (/^["\\/bfnrt]$/.test(text[at + 1] ?? "")) at += 2;
    else if (/^u[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 6))) at += 6;
    else break;
  }
  return { end: at, isWhole: false };
}
