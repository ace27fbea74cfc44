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
