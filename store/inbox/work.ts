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
}

export interface LeaseResult {
  readonly items: readonly WorkItem[];
  /**
   * When no item came: the earliest known time at which one may be leasable (a
   * retry is due or a lease ends); null when none is known. New work can come
   * earlier.
   */
  readonly nextDueAtMs: number | null;
}

/** A leased piece of one batch for one target. */
export interface WorkItem {
  /** Fencing token of this lease: becomes stale when the item is leased again. */
  readonly token: string;
  readonly leaseUntilMs: number;
  readonly target: string;
  readonly batchId: string;
  readonly channel: string;
  readonly requestId: string | null;
  readonly acceptedAtMs: number;
  /** 1 for the first attempt. A lease that ended unsettled counts as an attempt. */
  readonly attempt: number;
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
   * Attempt again at `notBeforeMs`. Elements of one item with the same time and
   * reason stay together as one item: don't spread them without need.
   */
  | {
      readonly index: number;
      readonly kind: "retry";
      readonly notBeforeMs: number;
      readonly reason: string;
    }
  | { readonly index: number; readonly kind: "dead"; readonly reason: string }
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
