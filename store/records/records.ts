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
