import { toStorableText } from "../../sql/values.ts";

/** Escapes of JSON which PostgreSQL stores, but can't read: NUL, and halves of surrogate pairs. */
const doubtful = ["\\u0000", "\\ud"];

/**
 * Returns dead letters which PostgreSQL's JSON functions can read. A line with NUL, or which is no
 * Unicode, is in `line_base64` instead of `line`, as bytes are.
 */
export function toStorable(ndjson: Uint8Array): Uint8Array {
  const bytes = Buffer.from(ndjson.buffer, ndjson.byteOffset, ndjson.byteLength);
  if (!doubtful.some((text) => bytes.includes(text))) return ndjson;
  return Buffer.from(bytes.toString().split("\n").map(storableLine).join("\n"));
}

function storableLine(text: string): string {
  if (!doubtful.some((piece) => text.includes(piece))) return text;
  const { line, ...others } = JSON.parse(text) as Record<string, unknown>;
  const notes = Object.entries(others).map(([name, value]) => [
    name,
    // Bytes may be long, and are always storable.
    typeof value === "string" && name !== "line_base64" ? toStorableText(value) : value,
  ]);
  const isText = typeof line !== "string" || (line.isWellFormed() && !line.includes("\0"));
  const content = isText ? { line } : { line_base64: Buffer.from(line).toString("base64") };
  return JSON.stringify({ ...Object.fromEntries(notes), ...content });
}
