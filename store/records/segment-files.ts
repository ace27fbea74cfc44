import { type FileHandle, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RecordPlace } from "./records.ts";

const lf = 0x0a;

/** Returns the name of a spool's file. Files are numbered from 1, oldest first. */
export function segmentName(number: number): string {
  return `${String(number).padStart(12, "0")}.ndjson`;
}

/** Returns the numbers of the files in the folder, ascending. */
export async function listSegments(folder: string): Promise<readonly number[]> {
  return (await readdir(folder))
    .map((name) => Number(/^(\d{12})\.ndjson$/.exec(name)?.[1]))
    .filter((number) => !Number.isNaN(number))
    .sort((a, b) => a - b);
}

/** Returns the size of a file in bytes; 0 if it was deleted, which happens to loaded files while others are listed. */
export async function segmentSize(folder: string, number: number): Promise<number> {
  const { size } = await stat(join(folder, segmentName(number))).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return { size: 0 };
  });
  return size;
}

/** The sizes of the files from one on, up to the file in use. */
interface Sizes {
  readonly from: number;
  readonly end: number;
  readonly sizes: readonly number[];
  /** Whether the first one is that of the file `from`, which may be missing. */
  readonly hasFrom: boolean;
}

/**
 * Returns a function that returns the bytes of records after a place, up to the end. It is called many times a second,
 * so it looks at the files again only when the file of either place has changed since the last call: the others do not
 * grow.
 */
export function createByteCount(folder: string): (from: RecordPlace, end: RecordPlace) => Promise<number> {
  let known: Sizes | undefined;
  return async (from, end) => {
    if (from.number >= end.number) return Math.max(0, end.offset - from.offset);
    if (known?.from !== from.number || known.end !== end.number) {
      known = await readSizes(folder, from.number, end.number);
    }
    // A file which was truncated since has nothing left to read, and not less than that.
    const read = known.hasFrom ? Math.min(from.offset, known.sizes[0]!) : 0;
    return known.sizes.reduce((sum, size) => sum + size, end.offset) - read;
  };
}

async function readSizes(folder: string, from: number, end: number): Promise<Sizes> {
  const numbers = (await listSegments(folder)).filter((one) => one >= from && one < end);
  const sizes = await Promise.all(numbers.map((number) => segmentSize(folder, number)));
  return { from, end, sizes, hasFrom: numbers[0] === from };
}

/** Reads whole lines: at most `maxBytes`, or one line when it is longer. */
export async function readLines(
  handle: FileHandle,
  offset: number,
  available: number,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let length = maxBytes; ; length *= 2) {
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, available)));
    const filled = await fill(handle, bytes, offset);
    // A buffer is searched by the C library, an array of bytes in a nanosecond for each byte: a line may have 16 MiB.
    const end = bytes.subarray(0, filled).lastIndexOf(lf) + 1;
    if (end > 0 || length >= available) return bytes.subarray(0, end);
  }
}

/** Reads the bytes after the last line end of a file as a line, to which it adds a line end. */
export async function readUnendedLine(
  handle: FileHandle,
  offset: number,
  size: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size + 1);
  const filled = await fill(handle, bytes.subarray(0, size), offset);
  bytes[filled] = lf;
  return bytes.subarray(0, filled + 1);
}

/** Reads bytes until the array is full or the file ends, and returns their number. */
async function fill(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
