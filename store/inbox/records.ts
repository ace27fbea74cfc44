import type { Attempt } from "./attempts.ts";
import type { BatchAuth } from "./batch.ts";

export interface PageRequest {
  /** The maximum number of items, 1 to 1000. */
  readonly limit: number;
  /** The `next` of the previous page; undefined for the first page. */
  readonly after?: string;
}

/** A page of a list that is read in both directions. */
export interface OrderedPageRequest extends PageRequest {
  /** Default: newest. */
  readonly order?: "newest" | "oldest";
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
}

/** Counts of deliveries (an element for a target) per channel and target. accepted = delivered + dead + pending. */
export interface Counts {
  readonly channel: string;
  readonly target: string;
  readonly accepted: number;
  readonly delivered: number;
  /** Dead letters which were not replayed, including pruned ones. */
  readonly dead: number;
  readonly pending: number;
}

/** All given fields must match. Without fields every dead letter matches. */
export interface DeadLetterFilter {
  readonly channel?: string;
  readonly target?: string;
  readonly batchId?: string;
  readonly requestId?: string;
  readonly pushId?: string;
  /** Matches one delivery. */
  readonly deliveryId?: string;
  /** A part of the reason. */
  readonly reason?: string;
  /** The reason, exactly. */
  readonly wholeReason?: string;
  /** Became dead letters at or after this time. */
  readonly fromMs?: number;
  /** Became dead letters before this time. */
  readonly toMs?: number;
  /** Their batches were accepted at or after this time. */
  readonly acceptedFromMs?: number;
  /** Their batches were accepted before this time. */
  readonly acceptedToMs?: number;
}

/** The identity of a delivery. */
export interface DeliveryIdentity {
  readonly deliveryId: string;
  readonly batchId: string;
  readonly channel: string;
  readonly target: string;
  readonly requestId: string | null;
  /** The 0-based index in the batch's body. */
  readonly index: number;
  readonly pushId: string;
  readonly acceptedAtMs: number;
}

export interface DeadLetter extends DeliveryIdentity {
  readonly reason: string;
  /** The number of attempts, including the last one. */
  readonly attempts: number;
  readonly diedAtMs: number;
}

export interface ReplayRequest {
  /** Chosen by the caller, 1 to 200 characters: the same nonce replays once. Kept as long as dead letters. */
  readonly nonce: string;
  /** Counts without a change; the nonce stays unused. Default false. */
  readonly dryRun?: boolean;
  /** Takes only this many, at least 1, in the order in which they became dead letters. */
  readonly limit?: number;
  /** The `next` of the replay before, with a limit. */
  readonly after?: string;
}

export interface ReplayResult {
  /** The number of dead letters which matched and, except in a dry run, are pending again. */
  readonly count: number;
  /** With a limit: the `after` with which the replay continues; null at the end. */
  readonly next?: string | null;
}

/** Dead letters of one channel and target with one reason. */
export interface DeadLetterGroup {
  readonly channel: string;
  readonly target: string;
  readonly reason: string;
  readonly count: number;
  readonly oldestMs: number;
  readonly newestMs: number;
  /** The newest of them. */
  readonly example: DeadLetter;
}

export interface DeadLetterGroups {
  /** The most frequent first, at most 1,000. */
  readonly groups: readonly DeadLetterGroup[];
  /** Whether every dead letter is counted. */
  readonly isComplete: boolean;
}

/** `leased`: handed to a target at the moment. `pending`: waiting, perhaps for a retry. */
export type DeliveryState = "pending" | "leased" | "delivered" | "dead";

/** All given fields must match. Without fields every kept delivery matches. */
export interface DeliveryFilter {
  readonly channel?: string;
  readonly target?: string;
  readonly state?: DeliveryState;
  readonly batchId?: string;
  readonly requestId?: string;
  readonly pushId?: string;
  /** A part of the reason; only deliveries with a reason match. */
  readonly reason?: string;
  /** Accepted at or after this time. */
  readonly fromMs?: number;
  /** Accepted before this time. */
  readonly toMs?: number;
}

export interface Delivery extends DeliveryIdentity {
  readonly state: DeliveryState;
  /** The number of attempts begun; null when delivered, since it is not kept for delivered elements. */
  readonly attempts: number | null;
  /** Why the last attempt failed or the element is dead; null when nothing failed. */
  readonly reason: string | null;
  /** The time of the next attempt or of the lease's end; null when delivered or dead, or waiting for its order. */
  readonly dueAtMs: number | null;
}

/** A delivery with its last attempts, the oldest first. */
export interface TracedDelivery extends Delivery {
  readonly timeline: readonly Attempt[];
}

export interface DeliveryDetail extends TracedDelivery {
  /** The element's JSON, exactly as in the body. */
  readonly json: Uint8Array;
  /** The receipt's JSON, exactly as in the body. */
  readonly receipt: Uint8Array;
}

/** All given fields must match. Without fields every kept batch matches. */
export interface BatchFilter {
  readonly channel?: string;
  readonly requestId?: string;
  /** Accepted at or after this time. */
  readonly fromMs?: number;
  /** Accepted before this time. */
  readonly toMs?: number;
}

export interface ReceivedBatch {
  readonly batchId: string;
  readonly channel: string;
  readonly requestId: string | null;
  readonly acceptedAtMs: number;
  readonly bodyBytes: number;
  /** The counts of its deliveries per target, sorted by target. */
  readonly targets: readonly Counts[];
}

export interface BatchDetail extends ReceivedBatch {
  /** The body, exactly as received; null when it is damaged. */
  readonly body: Uint8Array | null;
  /** Why the body can't be read; null when it can. */
  readonly damage: string | null;
  /** Null for batches of versions which did not keep it, unless their key is still kept. */
  readonly reply: Uint8Array | null;
  /** Null for batches of versions which did not keep it. */
  readonly auth: BatchAuth | null;
  /** By element, then by target. */
  readonly deliveries: readonly TracedDelivery[];
}
