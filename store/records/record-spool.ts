import { errorMessage } from "../../base/text/system-error.ts";
import { createAppendQueue, type OwnLines } from "./append-queue.ts";
import { type RecordPlace, type RecordSink, RecordsUnavailableError } from "./records.ts";
import { createRollingSegments, type RollingOptions, type RollingSegments } from "./rolling-segments.ts";
import type { SegmentFileSystem } from "./segment.ts";

export interface RecordSpoolOptions {
  /** Created with mode 0700. One process at a time writes to it. */
  readonly folder: string;
  /** The size from which on the next file is used. Default 64 MiB. */
  readonly maxFileBytes?: number;
  readonly fileSystem?: SegmentFileSystem;
  /** Creates the writer of the files. Default: this thread and libuv's pool. */
  readonly segments?: (options: RollingOptions) => RollingSegments;
  /**
   * The place at which reading continues. When the files end before it, because they were removed, new
   * records go to files with later numbers, so that they do not count as read.
   */
  readonly after?: RecordPlace | undefined;
  /** Called with an incomplete line that a crash left; it was never acknowledged and is truncated. */
  readonly torn?: (file: string, bytes: number) => void;
  /**
   * Whether lines get checksums, for a reader which compares them; records must then be JSON objects.
   * Default false.
   */
  readonly checksums?: boolean;
  /**
   * The file which records how far records were acknowledged, outside the folder, so that a start
   * detects a loss (`findMissing`). Needs checksums. Default: none.
   */
  readonly mark?: string;
  /**
   * Called before a record is accepted.
   * @throws RecordsUnavailableError to refuse it on a nearly full disk
   */
  readonly admit?: (bytes: number) => void;
}

/** A sink whose records can be read back. */
export interface RecordSpool extends RecordSink {
  /** Appends many records at once: lines, each with its LF. All of them are stored, or none. */
  appendLines(lines: Uint8Array): Promise<void>;
  /**
   * Returns the end of the records on disk: later bytes may yet be truncated.
   * @throws RecordsUnavailableError when the last file can't be opened
   */
  end(): Promise<RecordPlace>;
  /** Resolves when further records are on disk. */
  grown(): Promise<void>;
  /** Returns whether records wait to be written or are being written. */
  isWriting(): boolean;
}

const defaultFileBytes = 64 * 2 ** 20;

function cannotWrite(error: unknown): RecordsUnavailableError {
  return new RecordsUnavailableError(`cannot write to the record spool: ${errorMessage(error)}`, {
    cause: error,
  });
}

/**
 * Stores records as lines of numbered files, `000000000001.ndjson` and so on, oldest first. Waiting
 * records are written and synced together: one fsync for many.
 */
export function openRecordSpool(options: RecordSpoolOptions): RecordSpool {
  const { folder, maxFileBytes = defaultFileBytes, fileSystem, after, torn = () => {} } = options;
  const { segments: createSegments = createRollingSegments, checksums = false } = options;
  const segments = createSegments({
    folder,
    maxFileBytes,
    fileSystem,
    after,
    checksums,
    torn,
    mark: options.mark,
  });
  let end: RecordPlace | undefined;
  let growth = Promise.withResolvers<void>();

  async function write(lines: OwnLines): Promise<ArrayBuffer> {
    try {
      const appended = await segments.append(lines);
      end = appended.end;
      growth.resolve();
      growth = Promise.withResolvers();
      return appended.memory;
    } catch (error) {
      throw cannotWrite(error);
    }
  }
  const queue = createAppendQueue({ write, checksums, waitsFor: "the disk", admit: options.admit });
  return {
    append: queue.append,
    appendLines: queue.appendLines,
    async end() {
      // This writes nothing, but opens the last file, truncates it to whole lines and syncs it.
      if (end === undefined) await queue.flush();
      return end!;
    },
    grown: () => growth.promise,
    isWriting: queue.isWriting,
    async [Symbol.asyncDispose]() {
      await queue.close();
      await segments.close();
    },
  };
}
