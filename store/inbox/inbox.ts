import type { Share, ShareAsked } from "../../base/async/rate-shares.ts";
import type { AcceptResult, Completion, FinishResult, NewBatch } from "./batch.ts";
import type {
  Counts,
  DeadLetter,
  DeadLetterFilter,
  Delivery,
  DeliveryDetail,
  DeliveryFilter,
  Page,
  PageRequest,
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

// The port is one import for services; its words are described in these files.
export type {
  AcceptResult,
  BatchElement,
  Completion,
  FinishResult,
  NewBatch,
  Route,
  RouteResult,
} from "./batch.ts";
export type {
  Counts,
  DeadLetter,
  DeadLetterFilter,
  Delivery,
  DeliveryDetail,
  DeliveryFilter,
  DeliveryState,
  Page,
  PageRequest,
  ReplayRequest,
  ReplayResult,
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
 * The durable queue between "the sender has been answered" and "every target
 * has settled every element". Nothing is answered before it is on disk, and
 * what is on disk is handed to each of its targets until that target has
 * settled it. Words: a batch is one accepted body; an element is one message
 * of it; a delivery is one element for one target; a work item is what is
 * still to be delivered of one batch to one target.
 *
 * At every moment, per channel and target, in deliveries:
 * accepted = delivered + dead + pending.
 *
 * All methods reject with InboxUnavailableError when the store can't do its
 * work now (disk full, I/O error, database away, overloaded, closed); the next
 * call tries anew, so the inbox recovers by itself. After such a rejection the
 * change has usually not happened, but may have (a connection lost during
 * COMMIT): every method is safe to call again. An aborted signal rejects with
 * its reason; what was already sent to the store may still happen.
 *
 * Times are milliseconds. Those that are shown, as when a batch was accepted, are
 * since 1970 by the computer's clock; leases, waits, ages and retention go by
 * `clockMs`, which nobody sets.
 *
 * What a disk or a hand has changed is not delivered: an element whose stored row is
 * broken or differs from its checksum becomes a dead letter when it is leased, with
 * that as its reason, and holds up nothing else.
 */
export interface Inbox extends AsyncDisposable {
  /**
   * Stores a batch in one commit: claim of its key, bytes, reply and work
   * items. Resolves after the commit is on disk. With `reply: null` the batch
   * is only begun: its key is claimed, but nothing is counted or leased until
   * `complete`.
   *
   * @throws InboxFullError when the free space or the size cap says no;
   * nothing has been stored.
   * @throws RangeError for a batch that contradicts itself.
   */
  accept(batch: NewBatch, options?: CallOptions): Promise<AcceptResult>;

  /**
   * Waits at most `waitMs` for the reply of a batch that `accept` called
   * `in_flight`. Null when there is none: the time is up, the key was freed,
   * or its owner's time is over. Then call `accept` again.
   */
  awaitReply(batchId: string, waitMs: number, options?: CallOptions): Promise<Uint8Array | null>;

  /**
   * Ends a batch begun with `reply: null`: stores the reply and counts its
   * deliveries. `stale` when it is no longer in flight under this id (completed,
   * released, or taken over after its owner's time); nothing has changed then.
   */
  complete(batchId: string, completion: Completion, options?: CallOptions): Promise<FinishResult>;

  /**
   * Drops a batch begun with `reply: null` and frees its key, so that the same
   * request id is handled anew: for replies of return_code 1.
   */
  release(batchId: string, options?: CallOptions): Promise<FinishResult>;

  /**
   * Takes work for one target, oldest due first. What is taken is hidden from
   * others until the lease ends; then it can be leased again. An item with more
   * elements than are asked for is split. Elements routed as `ordered` are held
   * back while an earlier one of the same push_id and target is not settled
   * (waiting for a retry counts as not settled).
   */
  lease(request: LeaseRequest, options?: CallOptions): Promise<LeaseResult>;

  /**
   * Notes that calls begin, so that they count as attempts also when their lease ends
   * unsettled. Survives the end of the process, but not a power cut. False for an item
   * that was leased again since, or is settled: it must not be sent.
   */
  begin(calls: readonly BegunCall[], options?: CallOptions): Promise<readonly boolean[]>;

  /** Prolongs a lease to now + `leaseMs`. An ended lease that nobody else has taken can be prolonged too. */
  extend(token: string, leaseMs: number, options?: CallOptions): Promise<ExtendResult>;

  /**
   * Settles elements of a leased item, all in one commit. Elements not named
   * stay leased under the same token; indexes that are not (or no longer) in
   * the item are ignored and named in the result. `stale` when the item was
   * leased again since, or is settled: nothing has changed then. An ended lease
   * that nobody else has taken still settles.
   */
  settle(token: string, outcomes: readonly ElementOutcome[], options?: CallOptions): Promise<SettleResult>;

  /** Gives this process a share of the rate of a target's calls, over all processes. */
  shareRate(target: string, asked: ShareAsked, options?: CallOptions): Promise<Share>;

  /** Gives a share back. @param afterMs until what was sent is in no window of a second any more, 0 to 60,000 */
  leaveRate(target: string, token: string, afterMs: number, options?: CallOptions): Promise<void>;

  /** Dead letters, newest first. */
  deadLetters(filter: DeadLetterFilter, page: PageRequest, options?: CallOptions): Promise<Page<DeadLetter>>;

  /**
   * Makes dead letters pending again, with attempts counted from 0. Calls with
   * the same nonce do it once and answer the same; a replayed element is never
   * taken for a duplicate. An `ordered` element is put behind those waiting.
   */
  replay(filter: DeadLetterFilter, request: ReplayRequest, options?: CallOptions): Promise<ReplayResult>;

  /**
   * Deliveries of kept batches, newest batch first, then by element and target.
   * A page reads a bounded number of batches, so it may hold fewer than `limit`
   * or none while `next` is set.
   */
  deliveries(filter: DeliveryFilter, page: PageRequest, options?: CallOptions): Promise<Page<Delivery>>;

  /** One delivery with its bytes; null when the id is unknown, its batch was pruned, or its bytes are damaged. */
  delivery(deliveryId: string, options?: CallOptions): Promise<DeliveryDetail | null>;

  /**
   * The books per channel and target, sorted by both. They survive pruning and
   * restarts. `recount` counts `pending` from the work items instead of taking
   * the kept figure, which reads all of them.
   */
  counts(options?: CallOptions & { readonly recount?: boolean }): Promise<readonly Counts[]>;

  /**
   * Deletes what its retention no longer covers: claims, finished batches
   * without dead letters, dead letters, abandoned batches in flight. Does a
   * bounded piece of work; call again while `more`.
   */
  prune(options?: CallOptions): Promise<PruneResult>;

  /** Milliseconds of the store's clock, which goes on over restarts and which nobody sets. */
  clockMs(): number;

  /** The state of the store. Resolves also when the store is away: `writable` is false then. */
  health(options?: CallOptions): Promise<InboxHealth>;

  /**
   * Tells when work for a target may have become leasable through this
   * process, at once. Only a hint: other replicas' work and ended leases
   * come by polling, so lease also without it.
   */
  onWork(listener: (target: string) => void): Disposable;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface InboxHealth {
  /** Whether a batch would be accepted now. */
  readonly writable: boolean;
  /** Why not; null when writable. */
  readonly reason: string | null;
  /** Age of the oldest batch that still has work; null when none has, or when the store is away. */
  readonly oldestPendingMs: number | null;
  /** Bytes the inbox takes, without space it can reuse; null when unknown. */
  readonly usedBytes: number | null;
  /** Free bytes on its disk; null when the store can't tell (a database server). */
  readonly freeBytes: number | null;
}

export interface PruneResult {
  readonly batches: number;
  readonly claims: number;
  readonly deadLetters: number;
  readonly more: boolean;
}

/** How long things are kept, in milliseconds. */
export interface InboxRetention {
  /** Idempotency keys with their replies, from the acceptance on. Default 24 h, the longest sender retries 12.7 h. */
  readonly claimMs: number;
  /** Finished batches, from the last settlement on. Default 24 h. */
  readonly finishedMs: number;
  /** Dead letters with their batches, from the death on. Default 14 days. */
  readonly deadLetterMs: number;
}

export const defaultRetention: InboxRetention = {
  claimMs: 86_400_000,
  finishedMs: 86_400_000,
  deadLetterMs: 1_209_600_000,
};

/** No room for another batch. Work already stored goes on; answer 503 with Retry-After. */
export class InboxFullError extends Error {
  override readonly name = "InboxFullError";
}

/** The page asked for begins behind something that is not in a list of this kind. */
export class PageCursorError extends RangeError {
  override readonly name = "PageCursorError";
}

/** The store can't do its work now. Answer 503 with Retry-After. */
export class InboxUnavailableError extends Error {
  override readonly name = "InboxUnavailableError";
}

/** The store can't be opened, and trying again won't help: in use, damaged, or of another version. */
export class InboxOpenError extends Error {
  override readonly name = "InboxOpenError";
}
