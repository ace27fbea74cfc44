import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type RecordSink, RecordsUnavailableError } from "./records.ts";
import { openSegment, type Segment, type SegmentFileSystem } from "./segment.ts";

export interface RecordSpoolOptions {
  /** Created with mode 0700. One process at a time writes to it. */
  readonly folder: string;
  /** A file that has grown to this is followed by the next one. Default 64 MiB. */
  readonly maxFileBytes?: number;
  readonly fileSystem?: SegmentFileSystem;
}

const defaultFileBytes = 64 * 2 ** 20;
/** Records that wait while the disk is away; beyond this they are refused. */
const maxWaitingBytes = 16 * 2 ** 20;

interface Waiting {
  readonly line: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Records as lines of numbered files, `000000000001.ndjson` and so on, oldest
 * first. What waits is written and synced together: one fsync for many.
 */
export function openRecordSpool(options: RecordSpoolOptions): RecordSink {
  const { folder, maxFileBytes = defaultFileBytes, fileSystem } = options;
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let segment: Segment | undefined;
  let number: number | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function room(bytes: number): Promise<Segment> {
    if (number === undefined) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      number = await lastNumber(folder);
    }
    if (segment !== undefined && segment.size() > 0 && segment.size() + bytes > maxFileBytes) {
      await segment.close();
      segment = undefined;
      number++;
    }
    segment ??= await openSegment(join(folder, nameOf(number)), fileSystem);
    return segment;
  }
  async function write(group: readonly Waiting[]): Promise<void> {
    const bytes = Buffer.concat(group.map(({ line }) => line));
    try {
      await (await room(bytes.length)).append(bytes);
    } catch (error) {
      const broken = segment;
      segment = undefined;
      await broken?.close().catch(() => {});
      const reason = error instanceof Error ? error.message : String(error);
      throw new RecordsUnavailableError(`cannot write to the record spool: ${reason}`, { cause: error });
    }
  }
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      waitingBytes = 0;
      const error = await write(group).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      for (const { resolve, reject } of group) error === undefined ? resolve() : reject(error);
    }
    // In the same turn as the last look at what waits: whoever comes later starts anew.
    running = undefined;
  }
  return {
    append(record) {
      if (isClosed) return Promise.reject(new RecordsUnavailableError("the record spool is closed"));
      if (record.includes(0x0a)) return Promise.reject(new RangeError("a record must not hold a line end"));
      if (waitingBytes > maxWaitingBytes) {
        return Promise.reject(new RecordsUnavailableError("too many records wait for the disk"));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ line: Buffer.concat([record, Buffer.from("\n")]), resolve, reject });
        waitingBytes += record.length + 1;
        running ??= drain();
      });
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await running;
      await segment?.close();
      segment = undefined;
    },
  };
}

function nameOf(number: number): string {
  return `${String(number).padStart(12, "0")}.ndjson`;
}

async function lastNumber(folder: string): Promise<number> {
  const numbers = (await readdir(folder))
    .map((name) => Number(/^(\d{12})\.ndjson$/.exec(name)?.[1]))
    .filter((number) => !Number.isNaN(number));
  return Math.max(1, ...numbers);
}
