import type { RecordChunk, RecordPlace, RecordReader } from "./records.ts";

/** Reads of one size. */
interface Sequence {
  /** The end of the last chunk. */
  readonly to: RecordPlace;
  /** The chunk after it, when it is read ahead. */
  readonly next: Promise<RecordChunk | undefined> | undefined;
}

/** A chunk with at least this part of the requested bytes is full: more records wait. */
const fullPart = 0.75;

/**
 * Returns a reader which reads the next chunk while the last one is processed. It does so when the last chunk was full
 * and began where the one before it ended; a chunk of other bytes than those that are asked for next is dropped.
 */
export function readAhead(reader: RecordReader): RecordReader {
  const sequences = new Map<number, Sequence>();
  return {
    ...reader,
    async read(from, maxBytes) {
      const last = sequences.get(maxBytes);
      sequences.delete(maxBytes);
      const isNext = last !== undefined && last.to.number === from.number && last.to.offset === from.offset;
      const chunk = (isNext ? await last.next : undefined) ?? (await reader.read(from, maxBytes));
      if (chunk === undefined) return undefined;
      const isFull = chunk.bytes.length >= maxBytes * fullPart;
      // A fault is that of the read which needs the chunk.
      const next = isNext && isFull ? reader.read(chunk.to, maxBytes).catch(() => undefined) : undefined;
      sequences.set(maxBytes, { to: chunk.to, next });
      return chunk;
    },
  };
}
