import type { DropReason, RefusalReason } from "./record/record.ts";

/** The method by which records arrived. */
export type RecordSource = "track" | "track_stream" | "ingest" | "ingest_debug" | "data_debug" | "replay";

/** Receives the events of the collector, for metrics and logs. The methods must not throw. */
export interface CollectObserver {
  /** Records are on disk. Records of `ingest` are not checked yet, so some may be refused when they are loaded. */
  accepted(projectId: number, source: RecordSource, records: number): void;
  refused(projectId: number, source: RecordSource, reason: RefusalReason): void;
  dropped(projectId: number, source: RecordSource, reason: DropReason): void;
  /** A body of an SDK without records, or without a known app id. */
  rejected(reason: "format" | "appid"): void;
}
