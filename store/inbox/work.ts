import type { Trace } from "../../base/trace/trace.ts";

export interface LeaseRequest {
  readonly target: string;
  /** The maximum number of elements in all items together, at least 1. */
  readonly maxElements: number;
  /**
   * No further item is leased once the items' bytes reach this; the first item is leased whatever its
   * size. Default 32 MiB.
   */
  readonly maxBytes?: number;
  /** The time for which others can't lease the items. */
  readonly leaseMs: number;
  /**
   * process (default): the caller counts attempts by `begin`, and its leases end when its process is
   * known to have ended. consumer: the messages are handed to a program elsewhere, so the lease itself
   * is an attempt and outlasts the process.
   */
  readonly holder?: "process" | "consumer";
}

/** Elements of a leased item whose call begins. */
export interface BegunCall {
  readonly token: string;
  readonly indexes: readonly number[];
}

export interface LeaseResult {
  readonly items: readonly WorkItem[];
  /**
   * Without items: the earliest known time at which one may be leasable (a retry is due or a lease
   * ends), by `clockMs`; null when none is known. New work can arrive earlier.
   */
  readonly nextDueAtMs: number | null;
}

/** A leased part of one batch for one target. */
export interface WorkItem {
  /** The fencing token of this lease, which becomes stale when the item is leased again. */
  readonly token: string;
  /** The end of the lease by `clockMs`. */
  readonly leaseUntilMs: number;
  readonly target: string;
  readonly batchId: string;
  readonly channel: string;
  readonly requestId: string | null;
  readonly acceptedAtMs: number;
  /** The time of acceptance by `clockMs`, for the item's age. */
  readonly acceptedClockMs: number;
  /** The number of the next attempt, 1 for the first. */
  readonly attempt: number;
  /** A lease of the item ended unsettled, so it may have crashed its holder: `begin` is awaited before it is sent. */
  readonly isSuspect: boolean;
  /** Why the previous attempt failed; null when there was none, or its lease ended unsettled. */
  readonly lastReason: string | null;
  /**
   * The nonce of the replay which made the item pending again; null without a replay. It is part of the
   * identity of a message for a receiver which drops duplicates.
   */
  readonly replay: string | null;
  /** The trace of the call that brought the batch; undefined: none. */
  readonly trace?: Trace | undefined;
  readonly elements: readonly WorkElement[];
}

export interface WorkElement {
  /** Identifies element and target permanently; an argument of `delivery`. */
  readonly deliveryId: string;
  /** The 0-based index in the batch's body. */
  readonly index: number;
  readonly pushId: string;
  /** The element's JSON, exactly as in the body. */
  readonly json: Uint8Array;
  /** The receipt's JSON, exactly as in the body; a view of `json`. */
  readonly receipt: Uint8Array;
}

/** The outcome of one element of a leased item. */
export type ElementOutcome =
  | { readonly index: number; readonly kind: "done" }
  /**
   * The next attempt is at `notBeforeMs`, by `clockMs`. Elements of one item with the same time and
   * reason stay together as one item, so avoid needless differences.
   */
  | {
      readonly index: number;
      readonly kind: "retry";
      readonly notBeforeMs: number;
      readonly reason: string;
    }
  /** `isUnsent`: given up without this attempt, which does not count. */
  | {
      readonly index: number;
      readonly kind: "dead";
      readonly reason: string;
      readonly isUnsent?: boolean;
    }
  /** Not attempted (shutdown, no capacity): leasable at once, and this attempt does not count. */
  | { readonly index: number; readonly kind: "returned" };

export type SettleResult =
  | {
      readonly kind: "settled";
      /** The number of elements still leased under the token. */
      readonly remaining: number;
      /** Indexes of outcomes which are not in the item. */
      readonly ignored: readonly number[];
    }
  | { readonly kind: "stale" };

export type ExtendResult =
  | { readonly kind: "extended"; readonly untilMs: number }
  | { readonly kind: "stale" };
