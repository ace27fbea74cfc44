import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openSegment, type Segment, type SegmentFileSystem } from "./segment.ts";
import { listSegments, segmentName } from "./segment-files.ts";

/** A place in the files: before the first byte that counts. */
export interface SpoolPosition {
  /** Of the file. */
  readonly number: number;
  /** Bytes from its beginning. */
  readonly offset: number;
}

export interface RollingSegments {
  /** Resolves with the end of the bytes once they are on disk. Calls must not overlap. */
  append(bytes: Uint8Array): Promise<SpoolPosition>;
  close(): Promise<void>;
}

/** Appends to the last of the numbered files, and to the next one when that is full. After a fault it is opened anew. */
export function createRollingSegments(
  folder: string,
  maxFileBytes: number,
  fileSystem: SegmentFileSystem | undefined,
): RollingSegments {
  let segment: Segment | undefined;
  let number: number | undefined;

  async function lastNumber(): Promise<number> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return (await listSegments(folder)).at(-1) ?? 1;
  }
  async function close(): Promise<void> {
    const closing = segment;
    segment = undefined;
    await closing?.close();
  }
  return {
    close,
    async append(bytes) {
      try {
        number ??= await lastNumber();
        if (segment !== undefined && segment.size() > 0 && segment.size() + bytes.length > maxFileBytes) {
          await close();
          number++;
        }
        segment ??= await openSegment(join(folder, segmentName(number)), fileSystem);
        await segment.append(bytes);
        return { number, offset: segment.size() };
      } catch (error) {
        await close().catch(() => {});
        throw error;
      }
    },
  };
}
