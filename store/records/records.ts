/**
 * Takes standard event records that this service itself writes, for whoever
 * stores events: the event store, or the platform's own ingest.
 */
export interface RecordSink extends AsyncDisposable {
  /**
   * Resolves once the record is on disk, so that it outlives a crash.
   * @param record one JSON object in UTF-8, without a line end in it
   * @throws RecordsUnavailableError when it can't be kept now; it may be sent again
   */
  append(record: Uint8Array): Promise<void>;
}

/** The sink can't take records at present: disk full, I/O error, closed. The next call tries anew. */
export class RecordsUnavailableError extends Error {
  override readonly name = "RecordsUnavailableError";
}

/** What a receiver says to records as a whole. */
export type SendOutcome =
  | { readonly kind: "taken" }
  /** Not now, for whatever reason; `afterMs` is the least to wait, where the receiver named a time. */
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs?: number | undefined }
  /** Never: at least one of the records is bad. None was taken. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The sender is not known there, so no record of it is taken until somebody changes a setting. */
  | { readonly kind: "unknown_appid"; readonly reason: string };

/** Somewhere that records are forwarded to. It knows doubles by their `#uuid`. */
export interface RecordReceiver extends AsyncDisposable {
  /**
   * Sends records in their order. Ends soon after `signal` is aborted. A
   * rejection is taken for "not now".
   */
  send(records: readonly Uint8Array[], signal: AbortSignal): Promise<SendOutcome>;
}

/** A place among the files of a spool. Compared by file number, then offset. */
export interface RecordPlace {
  readonly number: number;
  /** Bytes. */
  readonly offset: number;
}

/** Whole lines of one file. */
export interface RecordChunk {
  readonly from: RecordPlace;
  /** Behind the last line. */
  readonly to: RecordPlace;
  /** At least one line, each with its LF; the memory is the reader's to give away. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads a spool in the order it was written, as far as it is on disk. */
export interface RecordReader {
  /** Of the oldest record that is still there; of none the end. */
  start(): Promise<RecordPlace>;
  /** @throws RecordsUnavailableError */
  end(): Promise<RecordPlace>;
  /** Resolves when further records are on disk. */
  grown(): Promise<void>;
  /**
   * The lines that follow a place: at most `maxBytes`, or one line when that is longer. Undefined at the end. Files that
   * are gone are passed over.
   */
  read(from: RecordPlace, maxBytes: number): Promise<RecordChunk | undefined>;
  /** Bytes of records that follow a place. */
  bytesBehind(from: RecordPlace): Promise<number>;
  /** Deletes the files that end at or before a place, but the one that is still written to. */
  release(to: RecordPlace): Promise<void>;
}
