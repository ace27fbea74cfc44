import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RecordSpool } from "./record-spool.ts";
import type { RecordChunk, RecordPlace, RecordReader } from "./records.ts";
import {
  createByteCount,
  listSegments,
  readLines,
  readUnendedLine,
  segmentName,
  segmentSize,
} from "./segment-files.ts";

export interface RecordReaderOptions {
  /** The spool's folder. */
  readonly folder: string;
  readonly spool: Pick<RecordSpool, "end" | "grown" | "isWriting">;
  /** Called with the number of the first kept file before read files are deleted. */
  readonly releasing?: (firstKept: number) => void;
}

/** Reads the spool of this process, in chunks of the requested size. */
export function createRecordReader({
  folder,
  spool,
  releasing = () => {},
}: RecordReaderOptions): RecordReader {
  const bytesAfter = createByteCount(folder);
  async function nextFile(number: number, end: RecordPlace): Promise<RecordPlace | undefined> {
    if (number >= end.number) return undefined;
    const next = (await listSegments(folder)).find((one) => one > number) ?? end.number;
    return { number: next, offset: 0 };
  }
  return {
    end: spool.end,
    grown: spool.grown,
    isWriting: spool.isWriting,
    async start() {
      const end = await spool.end();
      return { number: (await listSegments(folder))[0] ?? end.number, offset: 0 };
    },
    async read(from, maxBytes) {
      const end = await spool.end();
      for (let at: RecordPlace | undefined = from; at !== undefined; at = await nextFile(at.number, end)) {
        if (at.number === end.number && at.offset >= end.offset) return undefined;
        const limit = at.number === end.number ? end.offset : Number.POSITIVE_INFINITY;
        const chunk = await readFile(join(folder, segmentName(at.number)), at, limit, maxBytes);
        if (chunk !== undefined) return chunk;
      }
      return undefined;
    },
    bytesAfter: async (from) => await bytesAfter(from, await spool.end()),
    async release(to) {
      const end = await spool.end();
      const numbers = (await listSegments(folder)).filter((one) => one <= to.number && one < end.number);
      const isRead = await Promise.all(
        numbers.map(async (number) => number < to.number || (await segmentSize(folder, number)) <= to.offset),
      );
      const done = numbers.filter((_number, at) => isRead[at]);
      const last = done.at(-1);
      if (last !== undefined) releasing(last + 1);
      for (const number of done) await rm(join(folder, segmentName(number)), { force: true });
    },
  };
}

async function readFile(
  path: string,
  from: RecordPlace,
  limit: number,
  maxBytes: number,
): Promise<RecordChunk | undefined> {
  await using handle = await open(path, "r").catch(ignoreMissing);
  if (handle === undefined) return undefined;
  const size = Math.min(limit, (await handle.stat()).size);
  const available = size - from.offset;
  let bytes = await readLines(handle, from.offset, available, maxBytes);
  // The last line end of a whole file was damaged. In the file in use, lines end later.
  if (bytes.length === 0 && available > 0 && limit === Number.POSITIVE_INFINITY) {
    bytes = await readUnendedLine(handle, from.offset, available);
  }
  if (bytes.length === 0) return undefined;
  return { from, to: { number: from.number, offset: from.offset + bytes.length }, bytes };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
