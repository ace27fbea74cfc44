import type { DatabaseSetup } from "./database.ts";
import type { ErrorNote } from "./notes.ts";

/** What the threads say to each other. */
export interface WorkerSetup extends DatabaseSetup {
  /** How long a commit waits for more requests, when the last one had several. */
  readonly lingerMs: number;
  /** Room kept for settling and pruning on a disk that others filled; 0: none. */
  readonly reserveBytes: number;
}

export interface Request {
  readonly id: number;
  readonly nowMs: number;
  readonly name: string;
  readonly args: readonly unknown[];
  /** What it brings to keep. */
  readonly bytes: number;
}

export type ToWorker =
  | { readonly kind: "requests"; readonly requests: readonly Request[] }
  | { readonly kind: "close" };

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorNote };

export type FromWorker =
  | { readonly kind: "opened"; readonly usedBytes: number }
  | { readonly kind: "failed"; readonly error: ErrorNote }
  | { readonly kind: "replies"; readonly replies: readonly Reply[]; readonly usedBytes: number | null }
  | { readonly kind: "closed" };
