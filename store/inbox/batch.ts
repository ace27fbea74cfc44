import type { Trace } from "../../base/trace/trace.ts";
import type { AttemptRecord } from "./attempts.ts";

/** One accepted element of a batch and its position in the body, as half-open byte ranges. */
export interface BatchElement {
  /** The 0-based index in the body's array. Ascending in a batch; refused elements leave gaps. */
  readonly index: number;
  readonly pushId: string;
  /** The first byte of the element in the body. */
  readonly start: number;
  /** One past its last byte. */
  readonly end: number;
  /** The first byte of the receipt's value, inside the element. */
  readonly receiptStart: number;
  /** One past its last byte. */
  readonly receiptEnd: number;
}

/** The elements which go to a target. A batch has at most one route per target. */
export interface Route {
  readonly target: string;
  /** Indexes of accepted elements, ascending; "all": every accepted element. */
  readonly indexes: readonly number[] | "all";
  /**
   * Whether elements of the same push_id are delivered one after the other, in the order of acceptance.
   * Default false.
   */
  readonly ordered?: boolean;
}

/** How a batch was authenticated when it was accepted. */
export type BatchAuth =
  /** A header contains the hexadecimal HMAC-SHA1 of the body. */
  | { readonly scheme: "hmac-sha1"; readonly header: string; readonly value: string }
  /** A bearer key or a client certificate. */
  | { readonly scheme: "caller" }
  /** The channel accepts batches without a signature. */
  | { readonly scheme: "none" };

export interface NewBatch {
  readonly channel: string;
  /**
   * The idempotency key within the channel, kept for the retention's `claimMs`. Null: duplicates are
   * detected by `dedupeWindowMs` only.
   */
  readonly requestId: string | null;
  /**
   * Without a request id: a batch with the same body on the same channel within this time is a
   * duplicate. Default 0: never.
   */
  readonly dedupeWindowMs?: number;
  /** The body, exactly as received, which distinguishes a duplicate from a conflict. */
  readonly body: Uint8Array;
  /** The accepted elements; may be empty. */
  readonly elements: readonly BatchElement[];
  /** The targets of the elements. An element without a route is stored, but has no delivery. */
  readonly routes: readonly Route[];
  /**
   * The bytes of the reply, which each duplicate receives again. Null: the batch is only begun, and
   * `complete` follows.
   */
  readonly reply: Uint8Array | null;
  /**
   * With `reply: null`: another `accept` may take over the key when `complete` has not been called
   * within this time. Default 30 s.
   */
  readonly ownerLeaseMs?: number;
  /** Kept for `batch`. Default: unknown. */
  readonly auth?: BatchAuth;
  /** The trace that its work items continue. Default: none. */
  readonly trace?: Trace | undefined;
}

/** `batchId` is text which sorts by time of acceptance. */
export type AcceptResult =
  | { readonly kind: "stored"; readonly batchId: string }
  | { readonly kind: "duplicate"; readonly batchId: string; readonly reply: Uint8Array }
  /** Begun by another call, without a reply so far: call `awaitReply`. */
  | { readonly kind: "in_flight"; readonly batchId: string }
  /** The key was used with another body. */
  | { readonly kind: "conflict"; readonly batchId: string };

/** The end of a batch begun with `reply: null`. */
export interface Completion {
  readonly reply: Uint8Array;
  /**
   * The results of the routes given to `accept`. Routes left out are pending as a whole; without this
   * list all are.
   */
  readonly results?: readonly RouteResult[];
}

/**
 * Results of a route's elements. Elements in no list were refused (they are in `fail_list`) and have no
 * deliveries.
 */
export interface RouteResult {
  readonly target: string;
  /** Indexes already delivered. */
  readonly delivered: readonly number[];
  /** Indexes still to be delivered from the queue. */
  readonly pending: readonly number[];
  readonly dead: readonly { readonly index: number; readonly reason: string }[];
  /** The attempts so far. Default: none. */
  readonly attempts?: readonly AttemptRecord[];
}

export type FinishResult = { readonly kind: "finished" } | { readonly kind: "stale" };
