import { checksumBytes, countLines, joinWithRoom } from "../../base/files/line-checksum.ts";
import { RecordsUnavailableError } from "./records.ts";

/** Lines in memory of their own. */
export type OwnLines = Buffer<ArrayBuffer>;

export interface AppendQueueOptions {
  /**
   * Stores lines, all of them or none. Calls do not overlap.
   * @param lines may be changed and transferred
   * @returns the memory of the lines, for the next ones
   */
  readonly write: (lines: OwnLines) => Promise<ArrayBuffer>;
  /** Whether lines have room for checksums, see `joinWithRoom`. */
  readonly checksums: boolean;
  /** What waiting records wait for, such as "the disk". */
  readonly waitsFor: string;
  /**
   * Called before a record is accepted.
   * @throws RecordsUnavailableError to refuse it
   */
  readonly admit?: ((bytes: number) => void) | undefined;
}

/** Records which wait to be written, together with all others that came meanwhile. */
export interface AppendQueue {
  append(record: Uint8Array): Promise<void>;
  appendLines(lines: Uint8Array): Promise<void>;
  /** Returns whether records wait to be written or are being written. */
  isWriting(): boolean;
  /** Writes what waits, even if that is nothing. */
  flush(): Promise<void>;
  /** Refuses further records; resolves when those which wait are written. */
  close(): Promise<void>;
}

/** The maximum bytes of records which wait while they can't be written; beyond it they are refused. */
const maxWaitingBytes = 16 * 2 ** 20;

const lf = 0x0a;
const lineEnd = Uint8Array.of(lf);

interface Waiting {
  readonly pieces: readonly Uint8Array[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the queue before a spool: records which arrive during a write share the next one. */
export function createAppendQueue({ write, waitsFor, admit, checksums }: AppendQueueOptions): AppendQueue {
  const memory = createLinesMemory();
  let waiting: Waiting[] = [];
  /** What the waiting records take when they are joined. */
  let waitingBytes = 0;
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function writeGroup(group: readonly Waiting[], maxBytes: number): Promise<void> {
    const lines = memory.take(maxBytes);
    const pieces = group.flatMap((one) => one.pieces);
    const length = checksums ? joinWithRoom(pieces, lines) : join(pieces, lines);
    memory.give(await write(lines.subarray(0, length)));
  }
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      const bytes = waitingBytes;
      waiting = [];
      waitingBytes = 0;
      const error = await writeGroup(group, bytes).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      for (const { resolve, reject } of group) error === undefined ? resolve() : reject(error);
    }
    // This happens in the same iteration of the event loop as the last check of the queue, so a later record starts a
    // new run.
    running = undefined;
  }
  function enqueue(pieces: readonly Uint8Array[], bytes: number): Promise<void> {
    if (isClosed) return Promise.reject(new RecordsUnavailableError("the record spool is closed"));
    if (waitingBytes > maxWaitingBytes) {
      return Promise.reject(new RecordsUnavailableError(`too many records wait for ${waitsFor}`));
    }
    return new Promise((resolve, reject) => {
      waiting.push({ pieces, resolve, reject });
      waitingBytes += bytes;
      running ??= drain();
    });
  }
  async function take(pieces: readonly Uint8Array[], bytes: number, lines: number): Promise<void> {
    admit?.(bytes);
    await enqueue(pieces, checksums ? bytes + lines * checksumBytes : bytes);
  }
  return {
    flush: () => enqueue([], 0),
    isWriting: () => running !== undefined,
    append(record) {
      if (record.includes(lf)) return Promise.reject(new RangeError("a record must not contain a line end"));
      return take([record, lineEnd], record.length + 1, 1);
    },
    appendLines(lines) {
      if (lines.at(-1) !== lf) return Promise.reject(new RangeError("lines must end with a line end"));
      return take([lines], lines.length, checksums ? countLines(lines) : 0);
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}

function join(pieces: readonly Uint8Array[], target: Buffer): number {
  let to = 0;
  for (const piece of pieces) {
    target.set(piece, to);
    to += piece.length;
  }
  return to;
}

/** Memory for lines is taken in these sizes, doubled as often as necessary, so that the next lines fit it. */
const minMemoryBytes = 65_536;

/**
 * Keeps the memory of the last lines for the next ones: new memory has pages that the system has to clear, and counts
 * as growth of the heap. The reference is weak, so that an idle process does not keep it.
 */
function createLinesMemory() {
  let last: WeakRef<ArrayBuffer> | undefined;
  return {
    take(minBytes: number): OwnLines {
      const known = last?.deref();
      last = undefined;
      if (known !== undefined && known.byteLength >= minBytes) return Buffer.from(known);
      let bytes = minMemoryBytes;
      while (bytes < minBytes) bytes *= 2;
      return Buffer.allocUnsafeSlow(bytes);
    },
    give(memory: ArrayBuffer): void {
      last = new WeakRef(memory);
    },
  };
}
