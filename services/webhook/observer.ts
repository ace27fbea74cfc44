import type { DuplicateKey } from "../../base/json/duplicate-keys.ts";
import type { Refusal } from "./receive/refusal.ts";

/** What is odd about an accepted batch, though no reason to refuse it. */
export interface BatchWarnings {
  /** Keys that an object has twice: how many, and the first few. */
  readonly duplicateKeys: { readonly count: number; readonly found: readonly DuplicateKey[] };
  /** Numbers where a text is due; taken as their text. */
  readonly numbersForText: number;
  /** `ops_*` members of receipts of another type than their contract says. */
  readonly oddReceiptValues: number;
  /** Different `ops_request_id`s in one batch, where it is more than one. */
  readonly requestIds: number;
}

/** Told what happens to batches, for metrics and logs. Must not throw. */
export interface ReceiveObserver {
  /** On disk. `failed`: elements that went to `fail_list`. */
  accepted(channel: string, batch: { batchId: string; accepted: number; failed: number }): void;
  /** Answered with the reply of its first time. */
  repeated(channel: string, batchId: string): void;
  refused(channel: string, refusal: Refusal): void;
  warned(channel: string, warnings: BatchWarnings): void;
  /** The push-id check or a delivery in sync mode failed as a whole; the batch goes on without it. */
  failed(channel: string, what: "push_id_check" | "sync_delivery", error: unknown): void;
}
