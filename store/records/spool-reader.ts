import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkLine, withoutChecksum } from "../../base/files/line-checksum.ts";
import type { SpoolPosition } from "./rolling-segments.ts";
import { listSegments, segmentName } from "./segment-files.ts";

export interface SpooledRecord {
  /** Without its line end, and as it was taken unless it is damaged. */
  readonly bytes: Uint8Array;
  /** It is not what was taken: its checksum is of other bytes, or of another place. */
  readonly isDamaged: boolean;
  /** Behind its line. */
  readonly next: SpoolPosition;
}

export interface BatchLimits {
  readonly maxRecords: number;
  /** A longer record makes a batch of its own. */
  readonly maxBytes: number;
}

const lf = 0x0a;

/**
 * The records from a position on, of one file. Without records: the position
 * itself when all has been read, or the beginning of the next file.
 */
export async function readBatch(
  folder: string,
  from: SpoolPosition,
  end: SpoolPosition,
  limits: BatchLimits,
): Promise<{ readonly records: readonly SpooledRecord[]; readonly next: SpoolPosition }> {
  const records = await readRecords(folder, from, end, limits);
  const last = records.at(-1);
  if (last !== undefined) return { records, next: last.next };
  if (from.number >= end.number) return { records, next: from };
  const number = (await listSegments(folder)).find((one) => one > from.number) ?? end.number;
  return { records, next: { number, offset: 0 } };
}

async function readRecords(
  folder: string,
  { number, offset }: SpoolPosition,
  end: SpoolPosition,
  { maxRecords, maxBytes }: BatchLimits,
): Promise<SpooledRecord[]> {
  if (number === end.number && offset >= end.offset) return [];
  await using handle = await open(join(folder, segmentName(number)), "r");
  const size = number === end.number ? end.offset : (await handle.stat()).size;
  const bytes = await readLines(handle, offset, size, maxBytes);
  const records: SpooledRecord[] = [];
  for (let start = 0; records.length < maxRecords; ) {
    const at = bytes.indexOf(lf, start);
    if (at === -1) break;
    const next = { number, offset: offset + at + 1 };
    records.push({ ...readLine(bytes.subarray(start, at), { number, offset: offset + start }), next });
    start = at + 1;
  }
  return records;
}

function readLine(line: Uint8Array, place: SpoolPosition): Pick<SpooledRecord, "bytes" | "isDamaged"> {
  const found = checkLine(line, place);
  return { bytes: found === "intact" ? withoutChecksum(line) : line, isDamaged: found === "damaged" };
}

/** At least one whole line, if there is one. */
async function readLines(handle: FileHandle, offset: number, size: number, maxBytes: number) {
  for (let length = maxBytes; ; length *= 2) {
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(lf) || length >= size - offset) return bytes;
  }
}

/** Whether a record begins here. */
export async function isBoundary(folder: string, { number, offset }: SpoolPosition): Promise<boolean> {
  if (offset === 0) return true;
  await using handle = await open(join(folder, segmentName(number)), "r");
  const { buffer, bytesRead } = await handle.read(new Uint8Array(1), 0, 1, offset - 1);
  return bytesRead === 1 && buffer[0] === lf;
}

/** Bytes of records behind the position. */
export async function bytesBehind(folder: string, from: SpoolPosition, end: SpoolPosition): Promise<number> {
  const numbers = (await listSegments(folder)).filter((one) => one >= from.number && one < end.number);
  const sizes = await Promise.all(
    numbers.map(async (number) => (await stat(join(folder, segmentName(number)))).size),
  );
  return sizes.reduce((sum, size) => sum + size, end.offset) - from.offset;
}
