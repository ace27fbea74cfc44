import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RecordSpool } from "./ndjson-spool.ts";
import type { RecordChunk, RecordPlace, RecordReader } from "./records.ts";
import { listSegments, segmentName } from "./segment-files.ts";

export interface RecordReaderOptions {
  /** Of the spool. */
  readonly folder: string;
  readonly spool: Pick<RecordSpool, "end" | "grown">;
  /** Called before files are deleted that have been read: with the number of the first that stays. */
  readonly releasing?: (firstKept: number) => void;
}

const lf = 0x0a;

/** Reads the spool of this process, in pieces as large as they are asked for. */
export function createRecordReader({
  folder,
  spool,
  releasing = () => {},
}: RecordReaderOptions): RecordReader {
  async function nextFile(number: number, end: RecordPlace): Promise<RecordPlace | undefined> {
    if (number >= end.number) return undefined;
    const next = (await listSegments(folder)).find((one) => one > number) ?? end.number;
    return { number: next, offset: 0 };
  }
  return {
    end: spool.end,
    grown: spool.grown,
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
    async bytesBehind(from) {
      const end = await spool.end();
      if (from.number >= end.number) return Math.max(0, end.offset - from.offset);
      const numbers = (await listSegments(folder)).filter((one) => one >= from.number && one < end.number);
      const sizes = await Promise.all(numbers.map((number) => sizeOf(folder, number)));
      // A file that was cut since has nothing left to read, and not less than that.
      const read = numbers[0] === from.number ? Math.min(from.offset, sizes[0]!) : 0;
      return sizes.reduce((sum, size) => sum + size, end.offset) - read;
    },
    async release(to) {
      const end = await spool.end();
      const numbers = (await listSegments(folder)).filter((one) => one <= to.number && one < end.number);
      const isRead = await Promise.all(
        numbers.map(async (number) => number < to.number || (await sizeOf(folder, number)) <= to.offset),
      );
      const done = numbers.filter((_number, at) => isRead[at]);
      const last = done.at(-1);
      if (last !== undefined) releasing(last + 1);
      for (const number of done) await rm(join(folder, segmentName(number)), { force: true });
    },
  };
}

async function sizeOf(folder: string, number: number): Promise<number> {
  return (await stat(join(folder, segmentName(number)))).size;
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
  const bytes = await readLines(handle, from.offset, size - from.offset, maxBytes);
  if (bytes.length === 0) return undefined;
  return { from, to: { number: from.number, offset: from.offset + bytes.length }, bytes };
}

/** Whole lines only, and at least one if there is one. */
async function readLines(
  handle: FileHandle,
  offset: number,
  available: number,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let length = maxBytes; ; length *= 2) {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, available)));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const end = bytes.subarray(0, filled).lastIndexOf(lf) + 1;
    if (end > 0 || length >= available) return bytes.subarray(0, end);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
