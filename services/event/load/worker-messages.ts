import type { PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";

/** Messages to the thread, which are sent one at a time. Each has a reply, except `close`. */
export type ToPrepareWorker =
  | { readonly kind: "reset"; readonly start: PrepareStart }
  | { readonly kind: "prepare"; readonly task: PrepareTask }
  /** Ends the thread, without a reply. */
  | { readonly kind: "close" };

export type FromPrepareWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "prepared"; readonly prepared: PreparedBatch }
  /** `intake` means that the intake cannot be opened, or does not fit the store. */
  | { readonly kind: "failed"; readonly message: string; readonly of?: "intake" };

/**
 * Creates the memory into which the thread writes the offset of its current line, so that it is known after a crash.
 */
export function createProgress(): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(8)).fill(-1);
}
