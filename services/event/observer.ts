import type { DropReason, RefusalReason } from "./record/record.ts";

/** How records came. */
export type RecordSource = "track" | "track_stream" | "ingest" | "ingest_debug" | "data_debug";

/** Told what the collector does, for metrics and logs. Must not throw. */
export interface CollectObserver {
  /** On disk. Of `ingest` the records are not looked at before, so some may yet be refused when they are loaded. */
  taken(projectId: number, source: RecordSource, records: number): void;
  refused(projectId: number, source: RecordSource, reason: RefusalReason): void;
  dropped(projectId: number, source: RecordSource, reason: DropReason): void;
  /** A body of an SDK that is no records at all, or has no known app id. */
  rejected(reason: "format" | "appid"): void;
}
