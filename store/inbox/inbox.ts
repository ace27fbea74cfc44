import type { RateShareRequest, Share } from "../../base/async/rate-shares.ts";
import type { AttemptRecord } from "./attempts.ts";
import type { AcceptResult, Completion, FinishResult, NewBatch } from "./batch.ts";
import type {
  BatchDetail,
  BatchFilter,
  Counts,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGroups,
  Delivery,
  DeliveryDetail,
  DeliveryFilter,
  OrderedPageRequest,
  Page,
  PageRequest,
  ReceivedBatch,
  ReplayRequest,
  ReplayResult,
} from "./records.ts";
import type {
  BegunCall,
  ElementOutcome,
  ExtendResult,
  LeaseRequest,
  LeaseResult,
  SettleResult,
} from "./work.ts";

// The port is one import for services; these files describe its types.
export type { Attempt, AttemptOutcome, AttemptRecord } from "./attempts.ts";
export type {
  AcceptResult,
  BatchAuth,
  BatchElement,
  Completion,
  FinishResult,
  NewBatch,
  Route,
  RouteResult,
} from "./batch.ts";
export type {
  BatchDetail,
  BatchFilter,
  Counts,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGroup,
  DeadLetterGroups,
  Delivery,
  DeliveryDetail,
  DeliveryFilter,
  DeliveryState,
  OrderedPageRequest,
  Page,
  PageRequest,
  ReceivedBatch,
  ReplayRequest,
  ReplayResult,
  TracedDelivery,
} from "./records.ts";
export type {
  BegunCall,
  ElementOutcome,
  ExtendResult,
  LeaseRequest,
  LeaseResult,
  SettleResult,
  WorkElement,
  WorkItem,
} from "./work.ts";

/**
 * The durable queue between the reply to a sender and the settlement of every element by every target.
 * A batch is acknowledged after it is on disk, and from there it is handed to each of its targets until
 * the target has settled it.
 *
 * Terms: a batch is one accepted body; an element is one message of it; a delivery is one element for
 * one target; a work item is what remains to be delivered of one batch to one target.
 *
 * At every moment, per channel and target, in deliveries: accepted = delivered + dead + pending.
 *
 * All methods reject with InboxUnavailableError while the store can't do its work (disk full, I/O
 * error, database unavailable, overloaded, closed); the next call tries again, so the inbox recovers by
 * itself. After such a rejection the change has usually not happened, but may have (a connection lost
 * during COMMIT): every method is safe to call again. An aborted signal rejects with its reason; what
 * was already sent to the store may still happen.
 *
 * Times are milliseconds. Times for display, such as the time of acceptance, are since 1970 by the
 * computer's clock; leases, waits, ages and retention use `clockMs`, which is never set.
 *
 * What a disk or a person has changed is not delivered: an element whose stored row is broken or
 * differs from its checksum becomes a dead letter when it is leased, with that reason, and delays
 * nothing else.
 */
export interface Inbox extends AsyncDisposable {
  /**
   * Stores a batch in one commit: its key, bytes, reply and work items. Resolves after the commit is on
   * disk. With `reply: null` the batch is only begun: its key is claimed, but nothing is counted or
   * leased until `complete`.
   *
   * @throws InboxFullError when the free space or the size limit does not suffice; nothing has been
   * stored.
   * @throws RangeError for a batch with inconsistent fields.
   */
  accept(batch: NewBatch, options?: CallOptions): Promise<AcceptResult>;

  /**
   * Waits at most `waitMs` for the reply of a batch for which `accept` returned `in_flight`. Resolves
   * to null when there is none: the time is up, the key was released, or its owner's time is over. Then
   * call `accept` again.
   */
  awaitReply(batchId: string, waitMs: number, options?: CallOptions): Promise<Uint8Array | null>;

  /**
   * Ends a batch begun with `reply: null`: stores the reply and counts its deliveries. Returns `stale`,
   * without a change, when the batch is no longer in flight under this id (completed, released, or
   * taken over after its owner's time).
   */
  complete(batchId: string, completion: Completion, options?: CallOptions): Promise<FinishResult>;

  /**
   * Deletes a batch begun with `reply: null` and releases its key, so that a repeated request id is
   * processed again: for replies with return_code 1.
   */
  release(batchId: string, options?: CallOptions): Promise<FinishResult>;

  /**
   * Leases work for one target, oldest due first. Leased work is hidden from others until the lease
   * ends; then it can be leased again. An item with more elements than requested is split. An element
   * of an `ordered` route is not leased while an earlier one of the same push_id and target is
   * unsettled (waiting for a retry is unsettled).
   */
  lease(request: LeaseRequest, options?: CallOptions): Promise<LeaseResult>;

  /**
   * Records that calls begin, so that they count as attempts even when their lease ends unsettled. The
   * record survives the end of the process, but not a power failure. Returns false for an item which
   * has been leased again or settled: it must not be sent.
   */
  begin(calls: readonly BegunCall[], options?: CallOptions): Promise<readonly boolean[]>;

  /**
   * Extends a lease to now + `leaseMs`. An ended lease can be extended too, unless the item has been
   * leased again.
   */
  extend(token: string, leaseMs: number, options?: CallOptions): Promise<ExtendResult>;

  /**
   * Settles elements of a leased item in one commit. Elements without an outcome stay leased under the
   * same token; indexes that are not (or no longer) in the item are ignored and returned. Returns
   * `stale`, without a change, when the item has been leased again or settled. An ended lease still
   * settles, unless the item has been leased again. `attempts` are kept for `delivery` and `batch`:
   * the last 20 of each element since its acceptance or its last replay, and as many before that. They
   * are written a moment later, so the end of the process loses the last ones, and they are left out
   * while the disk is nearly full.
   */
  settle(
    token: string,
    outcomes: readonly ElementOutcome[],
    options?: CallOptions & { readonly attempts?: readonly AttemptRecord[] },
  ): Promise<SettleResult>;

  /** Returns this process's share of the rate of a target's calls, which all processes together keep to. */
  shareRate(target: string, request: RateShareRequest, options?: CallOptions): Promise<Share>;

  /**
   * Releases a share.
   * @param afterMs the time until the last calls are in no window of a second any more, 0 to 60,000
   */
  leaveRate(target: string, token: string, afterMs: number, options?: CallOptions): Promise<void>;

  /** Lists dead letters, newest first unless the page says otherwise. */
  deadLetters(
    filter: DeadLetterFilter,
    page: OrderedPageRequest,
    options?: CallOptions,
  ): Promise<Page<DeadLetter>>;

  /** Counts the newest 100,000 dead letters by channel, target and reason. */
  deadLetterGroups(options?: CallOptions): Promise<DeadLetterGroups>;

  /**
   * Makes dead letters pending again, with attempts counted from 0. Calls with the same nonce replay
   * once and return the same result; a replayed element never counts as a duplicate. An `ordered`
   * element goes to the end of its queue. Without a limit, all that match are replayed in one
   * transaction. With a limit, a nonce is for one call, and dead letters whose batch is lost are passed over.
   */
  replay(filter: DeadLetterFilter, request: ReplayRequest, options?: CallOptions): Promise<ReplayResult>;

  /** Lists kept batches with their counts, newest first by time of acceptance. Omits batches in flight. */
  batches(filter: BatchFilter, page: PageRequest, options?: CallOptions): Promise<Page<ReceivedBatch>>;

  /** Returns one batch with its bytes; null when the id is unknown, or the batch is in flight or was pruned. */
  batch(batchId: string, options?: CallOptions): Promise<BatchDetail | null>;

  /**
   * Lists deliveries of kept batches, newest batch first, then by element and target. With a state other
   * than delivered or a reason, the order of batches is that of acceptance even if the clock was set. A page reads a
   * bounded number of batches, so it may hold fewer than `limit` items or none while `next` is set.
   */
  deliveries(filter: DeliveryFilter, page: PageRequest, options?: CallOptions): Promise<Page<Delivery>>;

  /**
   * Returns one delivery with its bytes; null when the id is unknown, its batch was pruned, or its
   * bytes are damaged.
   */
  delivery(deliveryId: string, options?: CallOptions): Promise<DeliveryDetail | null>;

  /**
   * Returns the counts per channel and target, sorted by both. They survive pruning and restarts.
   * `recount` counts `pending` from the work items instead of returning the stored number, which reads
   * all of them.
   */
  counts(options?: CallOptions & { readonly recount?: boolean }): Promise<readonly Counts[]>;

  /**
   * Deletes what the retention no longer covers: claims, finished batches without dead letters, dead
   * letters, and abandoned batches in flight. The amount of work is bounded; call again while `more`.
   */
  prune(options?: CallOptions): Promise<PruneResult>;

  /** Returns milliseconds of the store's clock, which continues across restarts and is never set. */
  clockMs(): number;

  /** Reports the state of the store. Resolves also when the store is unavailable, with `writable: false`. */
  health(options?: CallOptions): Promise<InboxHealth>;

  /**
   * Calls the listener when work for a target may have become leasable through this process. Only a
   * hint: work of other replicas and ended leases need polling.
   */
  onWork(listener: (target: string) => void): Disposable;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface InboxHealth {
  /** Whether a batch would be accepted now. */
  readonly writable: boolean;
  /** The reason when not writable; otherwise null. */
  readonly reason: string | null;
  /** The age of the oldest batch with unfinished work; null when there is none, or the store is unavailable. */
  readonly oldestPendingMs: number | null;
  /** The bytes that the inbox occupies, without space it can reuse; null when unknown. */
  readonly usedBytes: number | null;
  /** The free bytes on its disk; null when unknown (a database server). */
  readonly freeBytes: number | null;
}

export interface PruneResult {
  readonly batches: number;
  readonly claims: number;
  readonly deadLetters: number;
  readonly more: boolean;
}

/** How long data is kept, in milliseconds. */
export interface InboxRetention {
  /**
   * Idempotency keys with their replies, from the acceptance. Default 24 h; the longest sender retries
   * for 12.7 h.
   */
  readonly claimMs: number;
  /** Finished batches, from the last settlement. Default 24 h. */
  readonly finishedMs: number;
  /** Dead letters with their batches, from the time they became dead letters. Default 14 days. */
  readonly deadLetterMs: number;
}

export const defaultRetention: InboxRetention = {
  claimMs: 86_400_000,
  finishedMs: 86_400_000,
  deadLetterMs: 1_209_600_000,
};

/** There is no space for another batch. Stored work continues; reply with 503 and Retry-After. */
export class InboxFullError extends Error {
  override readonly name = "InboxFullError";
}

/** The requested page starts after an item which is not in a list of this kind. */
export class PageCursorError extends RangeError {
  override readonly name = "PageCursorError";
}

/** The store can't do its work at the moment. Reply with 503 and Retry-After. */
export class InboxUnavailableError extends Error {
  override readonly name = "InboxUnavailableError";
}

/** The store can't be opened, and trying again does not help: it is in use, damaged, or of another version. */
export class InboxOpenError extends Error {
  override readonly name = "InboxOpenError";
}
