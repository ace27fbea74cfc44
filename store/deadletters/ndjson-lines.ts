import { crc32 } from "node:zlib";
import type { StoredDeadLetter } from "./list.ts";
import { type Line, type Part, readAfter, readBefore } from "./ndjson-parts.ts";
import { decodeDeadLetter } from "./stored.ts";

export type Handle = Parameters<typeof readAfter>[0];
type Lines = AsyncGenerator<{ readonly line: Line; readonly nextOffset: number }>;

/** Reads lines from the start of one on. */
export async function* readForward(handle: Handle, start: number, size: number): Lines {
  for (let from = start; from < size; ) {
    const { lines, end } = await readAfter(handle, from, size);
    if (lines.length === 0) return;
    for (const line of lines) yield { line, nextOffset: line.offset + line.bytes.length + 1 };
    from = end;
  }
}

/** Reads lines backwards, from the last one that ends at or before a place. */
export async function* readBackward(handle: Handle, end: number): Lines {
  for (let to = end; to > 0; ) {
    const { lines, start } = await readBefore(handle, to);
    for (const line of lines.toReversed()) yield { line, nextOffset: line.offset };
    to = start;
  }
}

const checkedBytes = 1_024;

/** Decodes a line. Its id has the place, and a checksum by which another line at that place is told apart. */
export function decodeLine(
  { name }: Pick<Part, "name">,
  { offset, bytes }: Line,
): StoredDeadLetter | undefined {
  const check = crc32(bytes.subarray(0, checkedBytes)).toString(36);
  return decodeDeadLetter(`${name}.${offset.toString(36)}.${check}`, bytes.toString());
}
