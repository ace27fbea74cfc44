import { open } from "node:fs/promises";
import { join } from "node:path";
import { checkLine, withoutChecksum } from "../../base/files/line-checksum.ts";
import type { RecordPlace } from "./records.ts";
import { listSegments, readLines, segmentName } from "./segment-files.ts";

export interface SpooledRecord {
  /** Without its line end, and as it was accepted unless it is damaged. */
  readonly bytes: Uint8Array;
  /** Whether the record differs from what was accepted: its checksum is of other bytes, or of another place. */
  readonly isDamaged: boolean;
  /** The place after its line. */
  readonly next: RecordPlace;
}

export interface BatchLimits {
  readonly maxRecords: number;
  /** A longer record makes a batch of its own. */
  readonly maxBytes: number;
}

const lf = 0x0a;

/**
 * Reads records of one file from a position. Without records, `next` is the position itself when
 * everything has been read, or the start of the next file.
 */
export async function readBatch(
  folder: string,
  from: RecordPlace,
  end: RecordPlace,
  limits: BatchLimits,
): Promise<{ readonly records: readonly SpooledRecord[]; readonly next: RecordPlace }> {
  const records = await readRecords(folder, from, end, limits);
  const last = records.at(-1);
  if (last !== undefined) return { records, next: last.next };
  if (from.number >= end.number) return { records, next: from };
  const number = (await listSegments(folder)).find((one) => one > from.number) ?? end.number;
  return { records, next: { number, offset: 0 } };
}

async function readRecords(
  folder: string,
  { number, offset }: RecordPlace,
  end: RecordPlace,
  { maxRecords, maxBytes }: BatchLimits,
): Promise<SpooledRecord[]> {
  if (number === end.number && offset >= end.offset) return [];
  await using handle = await open(join(folder, segmentName(number)), "r");
  const size = number === end.number ? end.offset : (await handle.stat()).size;
  const bytes = await readLines(handle, offset, size - offset, maxBytes);
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

function readLine(line: Uint8Array, place: RecordPlace): Pick<SpooledRecord, "bytes" | "isDamaged"> {
  const found = checkLine(line, place);
  return { bytes: found === "intact" ? withoutChecksum(line) : line, isDamaged: found === "damaged" };
}

/** Reports whether a record begins here. */
export async function isBoundary(folder: string, { number, offset }: RecordPlace): Promise<boolean> {
  if (offset === 0) return true;
  await using handle = await open(join(folder, segmentName(number)), "r");
  const { buffer, bytesRead } = await handle.read(new Uint8Array(1), 0, 1, offset - 1);
  return bytesRead === 1 && buffer[0] === lf;
}
