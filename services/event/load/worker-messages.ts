import type { PreparedBatch, PrepareStart, PrepareTask } from "./prepared.ts";

/** One at a time; each is answered. */
export type ToPrepareWorker =
  | { readonly kind: "reset"; readonly start: PrepareStart }
  | { readonly kind: "prepare"; readonly task: PrepareTask }
  /** Not answered: the thread ends. */
  | { readonly kind: "close" };

export type FromPrepareWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "prepared"; readonly prepared: PreparedBatch }
  /** `intake`: it can't be opened, or does not fit the store. */
  | { readonly kind: "failed"; readonly message: string; readonly of?: "intake" };

/** Shared with the thread, which writes the offset of the line that it has begun: so it is known when the thread dies. */
export function createProgress(): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(8)).fill(-1);
}
