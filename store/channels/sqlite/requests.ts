import type { OperationName } from "../sql/operations.ts";
import type { ErrorNote } from "./errors.ts";

/** What the threads say to each other. */
export interface WorkerSetup {
  readonly path: string;
  /** How long a start waits for the process before it to end. */
  readonly lockWaitMs: number;
  /** How long a commit waits for more requests, when the last one had several. */
  readonly lingerMs: number;
}

export interface Request {
  readonly id: number;
  readonly nowMs: number;
  readonly name: OperationName;
  readonly args: readonly unknown[];
}

export type ToWorker =
  | { readonly kind: "requests"; readonly requests: readonly Request[] }
  | { readonly kind: "close" };

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorNote };

export type FromWorker =
  | { readonly kind: "opened" }
  | { readonly kind: "failed"; readonly error: ErrorNote }
  | { readonly kind: "replies"; readonly replies: readonly Reply[] };
