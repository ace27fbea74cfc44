import type { DatabaseSetup } from "./database.ts";
import type { SerializedError } from "./errors.ts";

/** The settings and messages which the two threads exchange. */
export interface WorkerSetup extends DatabaseSetup {
  /** How long a commit waits for more requests when the last group had several. */
  readonly lingerMs: number;
  /** Disk space reserved for settling and pruning when the disk is full; 0: none. */
  readonly reserveBytes: number;
  /** Whether the other thread has the file's lock until it sends `open`. Otherwise the file is opened at once. */
  readonly isLocked: boolean;
}

export interface Request {
  readonly id: number;
  readonly nowMs: number;
  readonly name: string;
  readonly args: readonly unknown[];
  /** The bytes that the request stores. */
  readonly bytes: number;
}

/** Keeps the file as it is while its log grows, or lets it change again. The reply has no value. */
export interface HoldRequest {
  readonly kind: "hold" | "release";
  readonly id: number;
}

export type ToWorker =
  | { readonly kind: "open" }
  | { readonly kind: "requests"; readonly requests: readonly Request[] }
  | HoldRequest
  /** Asks to close the file and to end; the reply is `closed`, or `needed` when the thread goes on. */
  | { readonly kind: "end" }
  /** Closes the file and ends, whatever happens. */
  | { readonly kind: "close" };

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SerializedError };

export type WorkerReply =
  | { readonly kind: "opened"; readonly usedBytes: number }
  | { readonly kind: "replies"; readonly replies: readonly Reply[]; readonly usedBytes: number | null };

export type FromWorker =
  | WorkerReply
  | { readonly kind: "loaded" }
  | { readonly kind: "failed"; readonly error: SerializedError }
  | { readonly kind: "needed" }
  | { readonly kind: "closed" };
