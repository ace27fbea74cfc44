/**
 * Stores event records which this service itself writes, for a consumer of events: the event store, or
 * the platform's own ingest.
 *
 * A spool on disk (`record-spool.ts`) implements the sink over numbered files (`rolling-segments.ts`,
 * `segment.ts`, `segment-files.ts`), which a thread of its own can write (`segments-thread.ts`,
 * `serve-segments.ts`). `spool-mark.ts` detects lost files. The event store reads the spool through
 * `record-reader.ts`; `forward.ts` sends it to a receiver, with `read-batch.ts`, `deliver.ts` and
 * `forward-cursor.ts`. `postgres/` is a spool and its reader in a database which replicas share, where
 * tables stand for files; `read-ahead.ts` reads a chunk while the one before is processed. Both spools
 * write what waits together (`append-queue.ts`).
 */
export interface RecordSink extends AsyncDisposable {
  /**
   * Resolves when the record is on disk, so that it survives a crash.
   * @param record one JSON object in UTF-8, without a line end
   * @throws RecordsUnavailableError when it can't be stored at the moment; it may be sent again
   */
  append(record: Uint8Array): Promise<void>;
}

/** The sink can't accept records at the moment: disk full, I/O error, closed. The next call tries again. */
export class RecordsUnavailableError extends Error {
  override readonly name = "RecordsUnavailableError";
}

/** The sink can't be opened, and trying again does not help. */
export class RecordsOpenError extends Error {
  override readonly name = "RecordsOpenError";
}

/** A receiver's response to a batch of records. */
export type SendOutcome =
  | { readonly kind: "taken" }
  /** The records were not accepted now, for any reason. `afterMs` is the minimum delay if the receiver named one. */
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs?: number | undefined }
  /** The records will never be accepted: at least one of them is bad. None was accepted. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The receiver does not know the sender, so it accepts no record until a setting changes. */
  | { readonly kind: "unknown_appid"; readonly reason: string };

/** A receiver of forwarded records. It detects duplicates by their `#uuid`. */
export interface RecordReceiver extends AsyncDisposable {
  /** Sends records in their order. Ends soon after `signal` is aborted. A rejection counts as `retry`. */
  send(records: readonly Uint8Array[], signal: AbortSignal): Promise<SendOutcome>;
}

/** A place in the files of a spool. Places compare by file number, then by offset. */
export interface RecordPlace {
  readonly number: number;
  /** Bytes. */
  readonly offset: number;
}

/** Whole lines of one file. */
export interface RecordChunk {
  readonly from: RecordPlace;
  /** The place after the last line. */
  readonly to: RecordPlace;
  /** At least one line, each with its LF. The reader may transfer the memory. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads a spool in the order it was written, as far as it is on disk. */
export interface RecordReader {
  /** Returns the place of the oldest remaining record; without records the end. */
  start(): Promise<RecordPlace>;
  /** @throws RecordsUnavailableError */
  end(): Promise<RecordPlace>;
  /** Resolves when further records are on disk. */
  grown(): Promise<void>;
  /** Returns whether this process has records that wait to be written or are being written. */
  isWriting(): boolean;
  /**
   * Reads the lines after a place: at most `maxBytes`, or one line when it is longer. Returns undefined
   * at the end. Skips missing files.
   */
  read(from: RecordPlace, maxBytes: number): Promise<RecordChunk | undefined>;
  /** Returns the bytes of records after a place. */
  bytesAfter(from: RecordPlace): Promise<number>;
  /** Deletes the files which end at or before a place, except the file in use. */
  release(to: RecordPlace): Promise<void>;
}
