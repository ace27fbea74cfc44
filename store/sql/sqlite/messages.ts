import type { DatabaseSetup } from "./database.ts";
import type { SerializedError } from "./errors.ts";

/** The settings and messages which the two threads exchange. */
export interface WorkerSetup extends DatabaseSetup {
  /** How long a commit waits for more requests when the last group had several. */
  readonly lingerMs: number;
  /** Disk space reserved for settling and pruning when the disk is full; 0: none. */
  readonly reserveBytes: number;
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
  | { readonly kind: "requests"; readonly requests: readonly Request[] }
  | HoldRequest
  | { readonly kind: "close" };

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SerializedError };

export type FromWorker =
  | { readonly kind: "opened"; readonly usedBytes: number }
  | { readonly kind: "failed"; readonly error: SerializedError }
  | { readonly kind: "replies"; readonly replies: readonly Reply[]; readonly usedBytes: number | null }
  | { readonly kind: "closed" };
