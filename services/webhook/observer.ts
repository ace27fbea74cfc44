import type { DuplicateKey } from "../../base/json/duplicate-keys.ts";
import type { Refusal } from "./receive/refusal.ts";

/** Deviations of an accepted batch from the specification. */
export interface BatchWarnings {
  /** Repeated keys of objects: their number and the first few. */
  readonly duplicateKeys: { readonly count: number; readonly found: readonly DuplicateKey[] };
  /** Numbers instead of strings; they are converted to strings. */
  readonly numbersForText: number;
  /** `ops_*` members of receipts with another type than specified. */
  readonly oddReceiptValues: number;
  /** Number of distinct `ops_request_id`s of the batch. */
  readonly requestIds: number;
}

export interface AcceptedBatch {
  readonly batchId: string;
  readonly accepted: number;
  /** Number of elements in `fail_list`. */
  readonly failed: number;
}

/** Receives the events of batches, for metrics and logs. The methods must not throw. */
export interface ReceiveObserver {
  /** A batch is on disk. */
  accepted(channel: string, batch: AcceptedBatch): void;
  /** A repeated batch got the first reply again. */
  repeated(channel: string, batchId: string): void;
  /** `body` is what was read of a refused request. */
  refused(channel: string, refusal: Refusal, body?: Uint8Array): void;
  warned(channel: string, warnings: BatchWarnings): void;
  /** The push-id check or a delivery in sync mode failed as a whole; the batch was accepted without it. */
  failed(channel: string, what: "push_id_check" | "sync_delivery", error: unknown): void;
}
