export interface LeaseRequest {
  readonly target: string;
  /** At most this many elements in all items together, at least 1. */
  readonly maxElements: number;
  /**
   * No further item once the items' bytes reach this; the first comes whatever
   * its size. Default 32 MiB.
   */
  readonly maxBytes?: number;
  /** Others can't lease the items for this long. */
  readonly leaseMs: number;
  /**
   * process (default): the caller counts attempts by `begin`, and where it is certain
   * that its process has ended, its leases end with it. consumer: the messages are
   * handed to a program elsewhere, so the lease itself is an attempt and outlasts the process.
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
   * When no item came: the earliest known time at which one may be leasable (a
   * retry is due or a lease ends), by `clockMs`; null when none is known. New work
   * can come earlier.
   */
  readonly nextDueAtMs: number | null;
}

/** A leased piece of one batch for one target. */
export interface WorkItem {
  /** Fencing token of this lease: becomes stale when the item is leased again. */
  readonly token: string;
  /** By `clockMs`. */
  readonly leaseUntilMs: number;
  readonly target: string;
  readonly batchId: string;
  readonly channel: string;
  readonly requestId: string | null;
  readonly acceptedAtMs: number;
  /** The same by `clockMs`, which gives the item's age. */
  readonly acceptedClockMs: number;
  /** Number of the attempt that is to be made, 1 for the first. */
  readonly attempt: number;
  /** A lease of it ended unsettled, so it may be what ended its holder: `begin` is awaited before it is sent. */
  readonly isSuspect: boolean;
  /** Why the attempt before failed; null when there was none, or its lease ended unsettled. */
  readonly lastReason: string | null;
  /**
   * Nonce of the replay that brought the item back; null when it is none. Part
   * of what identifies a message to a receiver that drops repeats.
   */
  readonly replay: string | null;
  readonly elements: readonly WorkElement[];
}

export interface WorkElement {
  /** Identifies element and target for ever: `delivery` takes it. */
  readonly deliveryId: string;
  /** 0-based place in the batch's body. */
  readonly index: number;
  readonly pushId: string;
  /** The element as it stood in the body. */
  readonly json: Uint8Array;
  /** The receipt as it stood in the body; a view into `json`. */
  readonly receipt: Uint8Array;
}

/** What became of one element of a leased item. */
export type ElementOutcome =
  | { readonly index: number; readonly kind: "done" }
  /**
   * Attempt again at `notBeforeMs`, by `clockMs`. Elements of one item with the same time and
   * reason stay together as one item: don't spread them without need.
   */
  | {
      readonly index: number;
      readonly kind: "retry";
      readonly notBeforeMs: number;
      readonly reason: string;
    }
  /** `isUnsent`: it is given up without this attempt, which doesn't count. */
  | {
      readonly index: number;
      readonly kind: "dead";
      readonly reason: string;
      readonly isUnsent?: boolean;
    }
  /** Not attempted (shutdown, no capacity): leasable at once, and this attempt doesn't count. */
  | { readonly index: number; readonly kind: "returned" };

export type SettleResult =
  | {
      readonly kind: "settled";
      /** Elements still leased under the token. */
      readonly remaining: number;
      /** Indexes named in the outcomes that the item doesn't hold. */
      readonly ignored: readonly number[];
    }
  | { readonly kind: "stale" };

export type ExtendResult =
  | { readonly kind: "extended"; readonly untilMs: number }
  | { readonly kind: "stale" };
