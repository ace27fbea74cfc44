import type { StoredTask } from "./records.ts";

/**
 * `preparing`: batches are being created, and sent already. `sending`: all are created. The other
 * states are final.
 */
export type RunState = "preparing" | "sending" | "done" | "cancelled" | "failed";

/** One run of a task. */
export interface StoredRun {
  /** `<task id>_<day>`, followed by `_2`, `_3` … from the second run of a day; the task instance of receipts. */
  readonly runId: string;
  /** A number which identifies the run. */
  readonly seq: number;
  readonly taskId: string;
  readonly channelId: string;
  readonly state: RunState;
  /** Why the run failed; empty otherwise. */
  readonly failure: string;
  /** The channel's definition when the run began. */
  readonly channel: Uint8Array;
  /** The position in the audience when the last batches were stored, in the caller's encoding; null at the start. */
  readonly cursor: string | null;
  /** The number of stored batches, which are numbered from 0 without gaps. */
  readonly batches: number;
  readonly startedAtMs: number;
  /** Null while batches are being created. */
  readonly preparedAtMs: number | null;
  /** Null until the state is final. */
  readonly endedAtMs: number | null;
  /** The trace in which the run began, as `encodeTrace` writes it; undefined: none. */
  readonly trace?: string | undefined;
}

export interface NewRun {
  /** `yyyy-MM-dd`, for the run's id. */
  readonly day: string;
  /** As `encodeTrace` writes it. Default: none. */
  readonly trace?: string | undefined;
}

export type RunStarted =
  | { readonly kind: "started"; readonly task: StoredTask; readonly run: StoredRun }
  | { readonly kind: "unknown_task" }
  | { readonly kind: "unknown_channel" }
  /** The task has an unfinished run, or is cancelled. */
  | { readonly kind: "refused"; readonly task: StoredTask };

export interface DueClaim {
  readonly taskId: string;
  /** The time of the due task. Of concurrent claims of the same time one succeeds. */
  readonly nextRunAtMs: number;
  /** The following time; null when there is none. */
  readonly followingAtMs: number | null;
  /** Null to skip this time. */
  readonly run: NewRun | null;
  /** Why the time is skipped; a task without a further time becomes `failed` with it. */
  readonly failure?: string;
}

export type DueClaimed =
  /**
   * `run` is null when the time was skipped: as requested, because the previous run is unfinished, or
   * because the channel was deleted.
   */
  | { readonly kind: "claimed"; readonly task: StoredTask; readonly run: StoredRun | null }
  /** Another process has claimed the time, or the task was cancelled. */
  | { readonly kind: "lost" };

export type TaskCancelled =
  | { readonly kind: "cancelled"; readonly task: StoredTask }
  | { readonly kind: "unknown_task" }
  /** The task had already ended, and has no further time. */
  | { readonly kind: "ended"; readonly task: StoredTask };

/** The right to prepare a run until the lease ends. A later lease has another token, which makes this one stale. */
export interface Preparation {
  readonly token: string;
  readonly untilMs: number;
  readonly run: StoredRun;
}

export interface NewBatch {
  /** `ops_request_id`; empty for journeys. */
  readonly requestId: string;
  /** The number of messages, at least 1. */
  readonly size: number;
  /**
   * The caller's own encoding of what every attempt sends, returned exactly with a lease. The bytes may change after
   * the batch is stored.
   */
  readonly payload: Uint8Array;
  /** The caller's own text, returned with a lease; for example which messages belong to which A/B group. */
  readonly note: string;
}

export interface BatchesToAppend {
  /** The number of batches stored so far: a repeated or late call changes nothing. */
  readonly afterNumber: number;
  /** May be empty when only the cursor moves. */
  readonly batches: readonly NewBatch[];
  readonly cursor: string;
  /** No more batches follow: the run is prepared. */
  readonly isLast: boolean;
  /** Counts of the audience between the two cursors. Single counts may be negative, their sums in the run are not. */
  readonly counted: AudienceCounts;
  /** Data about these batches which the caller needs when it resumes, under a page number of its own; null: none. */
  readonly resumeData: { readonly page: number; readonly data: Uint8Array } | null;
}

export interface AudienceCounts {
  readonly planned: number;
  /** Left out because the push id is empty or a duplicate. */
  readonly filtered: number;
  /** Left out as the control group of an A/B test. */
  readonly control: number;
}

/** The outcomes of a run's messages. */
export interface RunStatistics extends AudienceCounts {
  /** Messages in batches. */
  readonly batched: number;
  readonly batches: number;
  readonly settledBatches: number;
  /** Messages of batches which were sent at least once. */
  readonly sent: number;
  readonly succeeded: number;
  /** Messages by reason, sorted by it. */
  readonly failed: readonly { readonly reason: string; readonly count: number }[];
  /** Attempts after the first of each batch. */
  readonly retried: number;
  readonly warnings: number;
  /** Sorted by group and language. */
  readonly segments: readonly SegmentCounts[];
}

/** Messages of one A/B group in one language; both may be empty. */
export interface SegmentCounts {
  readonly groupId: string;
  readonly language: string;
  readonly sent: number;
  readonly succeeded: number;
}
