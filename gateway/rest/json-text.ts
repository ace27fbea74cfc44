import { isAscii, isUtf8 } from "node:buffer";
import type { JsonValue } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import {
  describeJsonExcess,
  findJsonExcess,
  type JsonBounds,
  type ScannedJson,
} from "../../base/json/bounds.ts";
import { JsonCursor } from "../../base/json/cursor.ts";
import { parseExactJson } from "../../base/json/exact-numbers.ts";
import { JsonFault } from "../../base/json/fault.ts";
import { findInvalidUtf8 } from "../../base/json/utf8.ts";
import { badRequest } from "./violations.ts";

/**
 * Parses the JSON of a body. Throws INVALID_ARGUMENT that names the bound which
 * the body exceeds, the first byte that is not UTF-8, or the place where the text
 * is not JSON.
 */
export function parseJson(body: Buffer, bounds: JsonBounds, scanned?: ScannedJson): JsonValue {
  return parseJsonText(readJsonText(body, bounds, scanned));
}

/**
 * Returns the text of a body that keeps the bounds, without a byte order mark.
 * @param scanned of a body that was scanned before
 */
export function readJsonText(body: Buffer, bounds: JsonBounds, scanned?: ScannedJson): string {
  const { excess } = scanned ?? { excess: findJsonExcess(body, bounds) };
  if (excess !== undefined) {
    const description = describeJsonExcess(excess);
    throw badRequest([{ field: "body", description, reason: "JSON_LIMIT_EXCEEDED" }]);
  }
  // Most bodies are ASCII, for which a decoder takes twice as long.
  if (isAscii(body)) return body.toString("latin1");
  if (!isUtf8(body)) throw notUtf8(body);
  const text = body.toString("utf8");
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

const byteOrderMark = 0xfeff;

/** Parses a JSON text. If it is exact, numbers that no double holds become BigNumbers. */
export function parseJsonText(text: string, isExact = true): JsonValue {
  try {
    return (isExact ? parseExactJson(text) : JSON.parse(text)) as JsonValue;
  } catch {
    throw notJson(text);
  }
}

function notUtf8(body: Buffer): ConnectError {
  const at = findInvalidUtf8(body);
  const description = `byte 0x${body[at]?.toString(16)} at offset ${at} is not UTF-8`;
  return badRequest([{ field: "body", description, reason: "INVALID_UTF8" }]);
}

/** V8 names the place in some of its messages only, so the text is read again after it failed. */
function notJson(text: string): ConnectError {
  const description =
    text === "" ? "is empty, valid is JSON such as {}" : `not JSON: ${describeFault(Buffer.from(text))}`;
  return badRequest([{ field: "body", description, reason: "INVALID_JSON" }]);
}

function describeFault(bytes: Buffer): string {
  const cursor = new JsonCursor(bytes, Number.POSITIVE_INFINITY);
  try {
    cursor.next();
    cursor.value();
    cursor.finish();
  } catch (error) {
    if (error instanceof JsonFault) return error.message;
    throw error;
  }
  throw new Error("JSON.parse refuses a text that is JSON");
}
