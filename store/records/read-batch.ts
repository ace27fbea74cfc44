import { checkLine, withoutChecksum } from "../../base/files/line-checksum.ts";
import type { RecordPlace, RecordReader } from "./records.ts";

export interface SpooledRecord {
  /** The record without its line end, as it was accepted unless it is damaged. */
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
 * everything has been read, or the start of the file in use.
 * @param end the end of the spool, which was read before
 */
export async function readBatch(
  reader: RecordReader,
  from: RecordPlace,
  end: RecordPlace,
  { maxRecords, maxBytes }: BatchLimits,
): Promise<{ readonly records: readonly SpooledRecord[]; readonly next: RecordPlace }> {
  const chunk = await reader.read(from, maxBytes);
  if (chunk === undefined) {
    return { records: [], next: from.number >= end.number ? from : { number: end.number, offset: 0 } };
  }
  const { bytes } = chunk;
  const { number, offset } = chunk.from;
  const records: SpooledRecord[] = [];
  for (let start = 0; records.length < maxRecords && start < bytes.length; ) {
    const at = bytes.indexOf(lf, start);
    const next = { number, offset: offset + at + 1 };
    records.push({ ...readLine(bytes.subarray(start, at), { number, offset: offset + start }), next });
    start = at + 1;
  }
  return { records, next: records.at(-1)!.next };
}

function readLine(line: Uint8Array, place: RecordPlace): Pick<SpooledRecord, "bytes" | "isDamaged"> {
  const found = checkLine(line, place);
  return { bytes: found === "intact" ? withoutChecksum(line) : line, isDamaged: found === "damaged" };
}

/**
 * Returns where the records of a position begin: the position itself, or the start of a later file when its own was
 * deleted. Undefined when no record begins there.
 */
export async function findBoundary(
  reader: RecordReader,
  place: RecordPlace,
): Promise<RecordPlace | undefined> {
  const { number, offset } = place;
  if (offset === 0) return place;
  const chunk = await reader.read({ number, offset: offset - 1 }, 1);
  if (chunk === undefined) return undefined;
  if (chunk.from.number > number) return { number: chunk.from.number, offset: 0 };
  return chunk.from.offset === offset - 1 && chunk.bytes[0] === lf ? place : undefined;
}
