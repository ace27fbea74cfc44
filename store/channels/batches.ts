import type { SegmentCounts } from "./runs.ts";

/** `in_flight`: somebody has it, and is sending it or will do so next. */
export type BatchState = "pending" | "in_flight" | "succeeded" | "failed";

export interface FailedItem {
  /** One-based index in the batch. */
  readonly index: number;
  readonly pushId: string;
  readonly message: string;
}

/** A batch without its body, for people. */
export interface BatchRecord {
  readonly number: number;
  readonly requestId: string;
  readonly size: number;
  readonly state: BatchState;
  /** Attempts that have ended; the one that is in flight is not among them. */
  readonly attempts: number;
  /** Ascending by index; those that the receiver named. */
  readonly failedItems: readonly FailedItem[];
  /** Why the last attempt failed; empty when none did. */
  readonly lastFailure: string;
}

export interface LeaseRequest {
  readonly channelId: string;
  readonly maxBatches: number;
  /** 1 ms to 1 day; `extendBatches` prolongs it. */
  readonly leaseMs: number;
  /** Who leases, for people who look at the store. */
  readonly owner: string;
}

/** The right to send a batch, until it ends: then another one may have it, and this token is void. */
export interface LeasedBatch {
  readonly token: string;
  readonly untilMs: number;
  readonly runId: string;
  readonly number: number;
  readonly requestId: string;
  readonly size: number;
  readonly body: Uint8Array;
  readonly note: string;
  /** Which attempt it is now; above 1 it may have been sent before. */
  readonly attempts: number;
  /** Attempts that were settled with `retry`. Those whose holder died are not among them. */
  readonly retries: number;
}

export interface LeaseResult {
  readonly batches: readonly LeasedBatch[];
  /** In how long there is something for this channel again, ends of leases included, 0: now; null: nothing is left now. */
  readonly nextDueInMs: number | null;
}

/** What became of one attempt. */
export interface Settlement {
  readonly token: string;
  readonly outcome: Outcome;
}

export type Outcome =
  | {
      readonly kind: "succeeded";
      /** Messages that the receiver named; the others of the batch succeeded. */
      readonly failedItems: readonly FailedItem[];
      /** What the failed items are counted as; `rejected` unless given. */
      readonly reason?: string;
      readonly warnings: number;
      /** How the batch splits up; its own sums are kept apart from these. */
      readonly segments: readonly SegmentCounts[];
    }
  | {
      /** For good: all messages failed. */
      readonly kind: "failed";
      readonly reason: string;
      readonly message: string;
      readonly segments: readonly SegmentCounts[];
    }
  | {
      /** Once more, but not for so long; of a cancelled run it fails with this reason instead. */
      readonly kind: "retry";
      readonly afterMs: number;
      readonly reason: string;
      readonly message: string;
      readonly segments: readonly SegmentCounts[];
    }
  /** It was not sent: the lease is given back, and is no attempt, even if it was marked as one. Of a cancelled run it fails as `cancelled`. */
  | { readonly kind: "released" };

/** `stale`: the batch is settled, or somebody else has it; nothing has changed. An ended lease nobody else has taken still settles. */
export type Settled = { readonly kind: "settled"; readonly state: BatchState } | { readonly kind: "stale" };

/** A channel with batches that are due or will be. */
export interface BusyChannel {
  readonly channelId: string;
  /** In how long one can be leased; 0: now. */
  readonly dueInMs: number;
}
