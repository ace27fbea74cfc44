import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fillChecksums } from "../../base/files/line-checksum.ts";
import type { OwnLines } from "./append-queue.ts";
import type { RecordPlace } from "./records.ts";
import { openSegment, type Segment, type SegmentFileSystem } from "./segment.ts";
import { listSegments, segmentName } from "./segment-files.ts";
import { openSpoolMark } from "./spool-mark.ts";

export interface RollingSegments {
  /**
   * Appends lines; resolves once they are on disk. Calls must not overlap.
   * @param lines with room for checksums where these are added
   */
  append(lines: OwnLines): Promise<AppendedLines>;
  close(): Promise<void>;
}

export interface AppendedLines {
  readonly end: RecordPlace;
  /** The memory of the lines, which is free again. */
  readonly memory: ArrayBuffer;
}

export interface RollingOptions {
  readonly folder: string;
  readonly maxFileBytes: number;
  readonly fileSystem: SegmentFileSystem | undefined;
  /** Nothing is written before this place. */
  readonly after: RecordPlace | undefined;
  readonly torn: (file: string, bytes: number) => void;
  /** Whether lines get checksums; they must then be JSON objects. */
  readonly checksums: boolean;
  /** The file which records how far records were acknowledged; undefined: none. */
  readonly mark: string | undefined;
}

/**
 * Appends to the last of the numbered files, and to the next one when that is full. After an error the
 * file is opened again.
 */
export function createRollingSegments(options: RollingOptions): RollingSegments {
  const { folder, maxFileBytes, fileSystem, checksums } = options;
  const mark = options.mark === undefined ? undefined : openSpoolMark(options.mark, options.after);
  let segment: Segment | undefined;
  let number: number | undefined;
  /** The number of lines in the open file, where known. */
  let lines: number | undefined;

  async function firstNumber(): Promise<number> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const last = (await listSegments(folder)).at(-1);
    const { after } = options;
    if (after === undefined || (last !== undefined && last > after.number)) return last ?? 1;
    if (last === undefined) return after.number + 1;
    const { size } = await stat(join(folder, segmentName(last)));
    return last === after.number && size >= after.offset ? last : after.number + 1;
  }
  async function close(): Promise<void> {
    const closing = segment;
    segment = undefined;
    await closing?.close();
  }
  /** Returns the number of lines in an opened file, where known. */
  function linesOf({ number, offset }: RecordPlace): number | undefined {
    if (offset === 0) return 0;
    const known = mark?.found;
    return known?.number === number && known.offset === offset ? known.lines : undefined;
  }
  return {
    async close() {
      await close();
      mark?.[Symbol.dispose]();
    },
    async append(added) {
      try {
        number ??= await firstNumber();
        if (segment !== undefined && segment.size() > 0 && segment.size() + added.length > maxFileBytes) {
          mark?.closed({ number, offset: segment.size(), lines });
          await close();
          number++;
        }
        if (segment === undefined) {
          const path = join(folder, segmentName(number));
          segment = await openSegment(path, fileSystem, (cut) => options.torn(path, cut));
          lines = linesOf({ number, offset: segment.size() });
        }
        const count = checksums ? fillChecksums(added, { number, offset: segment.size() }) : 0;
        await segment.append(added);
        if (lines !== undefined) lines += count;
        const end = { number, offset: segment.size() };
        mark?.reached({ ...end, lines });
        return { end, memory: added.buffer };
      } catch (error) {
        await close().catch(() => {});
        throw error;
      }
    },
  };
}
