import { JsonCursor, type JsonKind } from "./cursor.ts";
import { requireUtf8, textStart } from "./utf8.ts";

export interface OneValue {
  readonly kind: JsonKind;
  /** Half-open byte range of the value, without spaces and a byte order mark around it. */
  readonly start: number;
  readonly end: number;
}

/** Reads a text that is one JSON value. Throws JsonFault. */
export function scanValue(bytes: Uint8Array, maxDepth: number): OneValue {
  requireUtf8(bytes);
  const cursor = new JsonCursor(bytes, maxDepth);
  cursor.at = textStart(bytes);
  cursor.next();
  const start = cursor.at;
  const kind = cursor.value();
  const end = cursor.at;
  cursor.finish();
  return { kind, start, end };
}
