import type { SegmentCounts } from "./runs.ts";

/** `in_flight`: a process has leased the batch, and is sending it or will do so next. */
export type BatchState = "pending" | "in_flight" | "succeeded" | "failed";

export interface FailedItem {
  /** The 1-based index in the batch. */
  readonly index: number;
  readonly pushId: string;
  readonly message: string;
}

/** A batch without its payload, for display. */
export interface BatchRecord {
  readonly number: number;
  readonly requestId: string;
  readonly size: number;
  readonly state: BatchState;
  /** The number of attempts which have ended, without the one in flight. */
  readonly attempts: number;
  /** The items that the receiver named, ascending by index. */
  readonly failedItems: readonly FailedItem[];
  /** Why the last attempt failed; empty when none did. */
  readonly lastFailure: string;
}

export interface LeaseRequest {
  readonly channelId: string;
  readonly maxBatches: number;
  /** 1 ms to 1 day; `extendBatches` extends it. */
  readonly leaseMs: number;
  /** The name of the lease's holder, for people who inspect the store. */
  readonly owner: string;
  /**
   * Whether batches that were stored together are leased together or, unless they would be the first, not at all. That
   * costs less than to lease some of them. Default false.
   */
  readonly wholePages?: boolean;
}

/** The right to send a batch until the lease ends: then another process may lease it, and this token is stale. */
export interface LeasedBatch {
  readonly token: string;
  readonly untilMs: number;
  readonly runId: string;
  readonly number: number;
  readonly requestId: string;
  readonly size: number;
  /**
   * Returns the exact payload. It is decompressed at each call, so that batches which wait take little memory. Batches
   * that were stored by a version without payloads have the body itself, which is a JSON array.
   */
  readonly readPayload: () => Uint8Array;
  /**
   * Frees the memory of a result of `readPayload`, which nothing may use any more. Optional, and saves half of reading.
   */
  readonly freePayload: (payload: Uint8Array) => void;
  readonly note: string;
  /** The number of this attempt; above 1 the batch may have been sent before. */
  readonly attempts: number;
  /** The number of attempts settled with `retry`, without those whose holder died. */
  readonly retries: number;
}

export interface LeaseResult {
  readonly batches: readonly LeasedBatch[];
  /** The time until there is work for this channel again, including ends of leases; 0: now; null: no work remains. */
  readonly nextDueInMs: number | null;
  /** The number of batches that were stored together with the next one. */
  readonly nextCount: number;
}

/** The outcome of one attempt. */
export interface Settlement {
  readonly token: string;
  readonly outcome: Outcome;
}

export type Outcome =
  | {
      readonly kind: "succeeded";
      /** Messages that the receiver named; the others of the batch succeeded. */
      readonly failedItems: readonly FailedItem[];
      /** The reason under which failed items are counted. Default `rejected`. */
      readonly reason?: string;
      readonly warnings: number;
      /** Counts by segment, which are kept apart from the sums of the batch. */
      readonly segments: readonly SegmentCounts[];
    }
  | {
      /** Permanent: all messages failed. */
      readonly kind: "failed";
      readonly reason: string;
      readonly message: string;
      readonly segments: readonly SegmentCounts[];
    }
  | {
      /** Sends the batch again after this time. In a cancelled run it fails with this reason instead. */
      readonly kind: "retry";
      readonly afterMs: number;
      readonly reason: string;
      readonly message: string;
      readonly segments: readonly SegmentCounts[];
    }
  /**
   * Not sent: the lease is released and is no attempt, even if it was marked as one. In a cancelled run
   * the batch fails as `cancelled`.
   */
  | { readonly kind: "released" };

/**
 * `stale`: the batch is settled or leased again; nothing has changed. An ended lease still settles,
 * unless the batch has been leased again.
 */
export type Settled = { readonly kind: "settled"; readonly state: BatchState } | { readonly kind: "stale" };

/** A channel with batches which are or will be due. */
export interface BusyChannel {
  readonly channelId: string;
  /** The time until a batch can be leased; 0: now. */
  readonly dueInMs: number;
}
