import type { StoredTask } from "./records.ts";

/** `preparing`: batches are being made, and sent already. `sending`: all are made. The others are ends. */
export type RunState = "preparing" | "sending" | "done" | "cancelled" | "failed";

/** One run of a task. */
export interface StoredRun {
  /** `<task id>_<day>`, from the second one of a day on with `_2`, `_3` …; the task instance of receipts. */
  readonly runId: string;
  /** A number that no other run has. */
  readonly seq: number;
  readonly taskId: string;
  readonly channelId: string;
  readonly state: RunState;
  /** Why it failed; empty otherwise. */
  readonly failure: string;
  /** The channel's definition when the run began. */
  readonly channel: Uint8Array;
  /** How far the audience was read when the last batches were stored; the caller's own text, null at the beginning. */
  readonly cursor: string | null;
  /** Batches stored; they are numbered from 0 without a gap. */
  readonly batches: number;
  readonly startedAtMs: number;
  /** Null while batches are being made. */
  readonly preparedAtMs: number | null;
  /** Null until its state is an end. */
  readonly endedAtMs: number | null;
}

export interface NewRun {
  /** `yyyy-MM-dd`, for the run's id. */
  readonly day: string;
}

export type RunStarted =
  | { readonly kind: "started"; readonly task: StoredTask; readonly run: StoredRun }
  | { readonly kind: "unknown_task" }
  | { readonly kind: "unknown_channel" }
  /** A run is under way, or the task is cancelled. */
  | { readonly kind: "refused"; readonly task: StoredTask };

export interface DueClaim {
  readonly taskId: string;
  /** As the task that was due had it: only one of those who claim the same time gets it. */
  readonly nextRunAtMs: number;
  /** The time behind it; null when there is none. */
  readonly followingAtMs: number | null;
  /** Null to let this time pass. */
  readonly run: NewRun | null;
  /** Why it is let pass; a task without a further time is `failed` by it. */
  readonly failure?: string;
}

export type DueClaimed =
  /** `run` is null when it was let pass: asked to, the run before is still under way, or the channel is gone. */
  | { readonly kind: "claimed"; readonly task: StoredTask; readonly run: StoredRun | null }
  /** Somebody else has it, or the task was cancelled. */
  | { readonly kind: "lost" };

export type TaskCancelled =
  | { readonly kind: "cancelled"; readonly task: StoredTask }
  | { readonly kind: "unknown_task" }
  /** It had ended already, and has no further time. */
  | { readonly kind: "ended"; readonly task: StoredTask };

/** The right to prepare a run, until it ends. Whoever comes later has another token, and this one is void then. */
export interface Preparation {
  readonly token: string;
  readonly untilMs: number;
  readonly run: StoredRun;
}

export interface NewBatch {
  /** `ops_request_id`; empty for journeys. */
  readonly requestId: string;
  /** Messages in it, 1 or more. */
  readonly size: number;
  /** The exact bytes that every attempt sends. */
  readonly body: Uint8Array;
  /** The caller's own text, given back with a lease; for example which messages are of which A/B group. */
  readonly note: string;
}

export interface BatchesToAppend {
  /** Batches stored so far: a call that comes twice, or late, changes nothing. */
  readonly afterNumber: number;
  /** May be empty, when only the cursor moves. */
  readonly batches: readonly NewBatch[];
  readonly cursor: string;
  /** No more will come: the run is prepared. */
  readonly isLast: boolean;
  /** What the audience between the cursors held; the sums may not, but the parts may be less than 0. */
  readonly counted: AudienceCounts;
  /** What the caller has to know of these batches when it is resumed, by a number of its own; null: nothing. */
  readonly kept: { readonly page: number; readonly data: Uint8Array } | null;
}

export interface AudienceCounts {
  readonly planned: number;
  /** Left out, because their push id is empty or came before. */
  readonly filtered: number;
  /** Left out as the control of an A/B test. */
  readonly control: number;
}

/** What became of a run's messages. */
export interface RunStatistics extends AudienceCounts {
  /** Messages in batches. */
  readonly batched: number;
  readonly batches: number;
  readonly settledBatches: number;
  /** Messages of batches that were sent once at least. */
  readonly sent: number;
  readonly succeeded: number;
  /** Messages, by reason, sorted by it. */
  readonly failed: readonly { readonly reason: string; readonly count: number }[];
  /** Attempts beyond the first of their batch. */
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
