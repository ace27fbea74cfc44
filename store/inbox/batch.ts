/** One accepted element of a batch: where it lies in the body, as half-open byte ranges. */
export interface BatchElement {
  /** 0-based place in the body's array. Ascending in a batch; refused elements leave gaps. */
  readonly index: number;
  readonly pushId: string;
  /** First byte of the element in the body. */
  readonly start: number;
  /** One past its last byte. */
  readonly end: number;
  /** First byte of the receipt's value, inside the element. */
  readonly receiptStart: number;
  /** One past its last byte. */
  readonly receiptEnd: number;
}

/** Which elements go to a target. At most one route per target and batch. */
export interface Route {
  readonly target: string;
  /** Indexes of accepted elements, ascending; "all": every accepted element. */
  readonly indexes: readonly number[] | "all";
  /** Deliver the elements of one push_id one after the other, in the order of acceptance. Default false. */
  readonly ordered?: boolean;
}

export interface NewBatch {
  readonly channel: string;
  /**
   * With the channel, the idempotency key, kept for the retention's `claimMs`.
   * Null: no de-duplication, but for `dedupeWindowMs`.
   */
  readonly requestId: string | null;
  /**
   * Without a request id: a batch of the same body on the same channel within
   * this time is a duplicate. Default 0: never.
   */
  readonly dedupeWindowMs?: number;
  /** SHA-256 of `body`, 32 bytes: tells a repeat from a conflict. */
  readonly bodySha256: Uint8Array;
  /** The body, exactly as received. */
  readonly body: Uint8Array;
  /** The accepted elements; may be empty. */
  readonly elements: readonly BatchElement[];
  /** Where the elements go. An element of no route is stored, but is no delivery. */
  readonly routes: readonly Route[];
  /** The answer's bytes, given again to each duplicate. Null: begin only, `complete` follows. */
  readonly reply: Uint8Array | null;
  /** With `reply: null`: after this time without `complete`, another `accept` takes the key over. Default 30 s. */
  readonly ownerLeaseMs?: number;
}

/** `batchId` is text that sorts by time of acceptance. */
export type AcceptResult =
  | { readonly kind: "stored"; readonly batchId: string }
  | { readonly kind: "duplicate"; readonly batchId: string; readonly reply: Uint8Array }
  /** Begun by another call and not answered yet: `awaitReply`. */
  | { readonly kind: "in_flight"; readonly batchId: string }
  /** The key was used by another body. */
  | { readonly kind: "conflict"; readonly batchId: string };

/** How a batch begun with `reply: null` ended. */
export interface Completion {
  readonly reply: Uint8Array;
  /**
   * What became of each route given to `accept`; routes left out are pending
   * as a whole. Left out altogether: all pending.
   */
  readonly results?: readonly RouteResult[];
}

/** Elements of the route named in no list were refused (they are in `fail_list`): no deliveries. */
export interface RouteResult {
  readonly target: string;
  /** Indexes delivered already. */
  readonly delivered: readonly number[];
  /** Indexes still to be delivered, from the queue. */
  readonly pending: readonly number[];
  readonly dead: readonly { readonly index: number; readonly reason: string }[];
}

export type FinishResult = { readonly kind: "finished" } | { readonly kind: "stale" };
