export interface PageRequest {
  /** At most this many records, 1 to 1000. */
  readonly limit: number;
  /** `next` of the page before; left out for the first page. */
  readonly after?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** For the page behind this one; null at the end. */
  readonly next: string | null;
}

/** Per channel and target, in deliveries (an element for a target). accepted = delivered + dead + pending. */
export interface Counts {
  readonly channel: string;
  readonly target: string;
  readonly accepted: number;
  readonly delivered: number;
  /** Dead and not replayed, pruned ones included. */
  readonly dead: number;
  readonly pending: number;
}

/** All given fields must match; none given: every dead letter. */
export interface DeadLetterFilter {
  readonly channel?: string;
  readonly target?: string;
  readonly batchId?: string;
  readonly pushId?: string;
  /** One delivery. */
  readonly deliveryId?: string;
  /** Died at or after this time. */
  readonly fromMs?: number;
  /** Died before this time. */
  readonly toMs?: number;
}

export interface DeadLetter {
  readonly deliveryId: string;
  readonly batchId: string;
  readonly channel: string;
  readonly target: string;
  readonly requestId: string | null;
  readonly index: number;
  readonly pushId: string;
  readonly reason: string;
  /** Attempts made, the last one included. */
  readonly attempts: number;
  readonly acceptedAtMs: number;
  readonly diedAtMs: number;
}

export interface ReplayRequest {
  /** Chosen by the caller, 1 to 200 characters: the same nonce replays once. Kept as long as dead letters. */
  readonly nonce: string;
  /** Count only, change nothing; the nonce stays unused. Default false. */
  readonly dryRun?: boolean;
}

export interface ReplayResult {
  /** Dead letters that matched and, unless it was a dry run, are pending again. */
  readonly count: number;
}

/** `leased`: in a target's hands now. `pending`: waiting, perhaps for a retry. */
export type DeliveryState = "pending" | "leased" | "delivered" | "dead";

/** All given fields must match; none given: every delivery kept. */
export interface DeliveryFilter {
  readonly channel?: string;
  readonly target?: string;
  readonly state?: DeliveryState;
  readonly batchId?: string;
  readonly requestId?: string;
  readonly pushId?: string;
  /** Accepted at or after this time. */
  readonly fromMs?: number;
  /** Accepted before this time. */
  readonly toMs?: number;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly batchId: string;
  readonly channel: string;
  readonly target: string;
  readonly requestId: string | null;
  /** 0-based place in the batch's body. */
  readonly index: number;
  readonly pushId: string;
  readonly state: DeliveryState;
  /** Attempts begun; null when delivered, which isn't kept by element. */
  readonly attempts: number | null;
  /** Why the last attempt failed, or the element is dead; null when nothing failed. */
  readonly reason: string | null;
  readonly acceptedAtMs: number;
  /** When it is attempted again, or its lease ends; null when delivered or dead, or held back by order. */
  readonly dueAtMs: number | null;
}

export interface DeliveryDetail extends Delivery {
  /** The element as it stood in the body. */
  readonly json: Uint8Array;
  /** The receipt as it stood in the body. */
  readonly receipt: Uint8Array;
}
