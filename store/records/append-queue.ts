import { RecordsUnavailableError } from "./records.ts";

export interface AppendQueueOptions {
  /** Stores pieces in sequence, all of them or none. Calls do not overlap. */
  readonly write: (pieces: readonly Uint8Array[]) => Promise<void>;
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
  /** Writes a group without asking whether it is admitted, even an empty one. */
  enqueue(pieces: readonly Uint8Array[], bytes: number): Promise<void>;
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
export function createAppendQueue({ write, waitsFor, admit }: AppendQueueOptions): AppendQueue {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      waitingBytes = 0;
      const error = await write(group.flatMap(({ pieces }) => pieces)).then(
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
  async function take(pieces: readonly Uint8Array[], bytes: number): Promise<void> {
    admit?.(bytes);
    await enqueue(pieces, bytes);
  }
  return {
    enqueue,
    append(record) {
      if (record.includes(lf)) return Promise.reject(new RangeError("a record must not contain a line end"));
      return take([record, lineEnd], record.length + 1);
    },
    appendLines(lines) {
      if (lines.at(-1) !== lf) return Promise.reject(new RangeError("lines must end with a line end"));
      return take([lines], lines.length);
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
