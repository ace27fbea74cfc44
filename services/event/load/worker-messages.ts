import type { PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";

/** Messages to the thread. A task is sent after the reply `prepared` to the one before. */
export type ToPrepareWorker =
  | { readonly kind: "reset"; readonly start: PrepareStart }
  | { readonly kind: "prepare"; readonly task: PrepareTask }
  /** Ends the thread, without a reply. */
  | { readonly kind: "close" };

/** Replies, in the order of the messages. A task has two: its rows are written, then its claims are on disk. */
export type FromPrepareWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "prepared"; readonly prepared: PreparedBatch }
  | { readonly kind: "committed" }
  /** `intake` means that the intake cannot be opened, or does not fit the store. No other reply follows. */
  | { readonly kind: "failed"; readonly message: string; readonly of?: "intake" };

/**
 * Creates the memory into which the thread writes the offset of its current line, so that it is known after a crash.
 */
export function createProgress(): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(8)).fill(-1);
}
