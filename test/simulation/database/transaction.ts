import type { ChangedRows, RowChange } from "./changes.ts";
import type { LockOwner } from "./locks.ts";

export interface Transaction extends LockOwner {
  readonly notifications: { readonly channel: string; readonly text: string }[];
  /** The tables in which it has locked rows, from its commit on. */
  readonly tables: Set<string>;
  /** What it has changed. */
  readonly rows: ChangedRows;
  isEnded: boolean;
}

export function createTransaction(): Transaction {
  return {
    locked: new Set(),
    waitsFor: new Set(),
    notifications: [],
    tables: new Set(),
    rows: new Map(),
    isEnded: false,
  };
}

/** The end of a statement. */
export interface Outcome {
  readonly rows?: readonly object[];
  readonly error?: Error;
}

export type Done = (outcome: Outcome) => void;

/** The statement which is evaluated. */
export interface Running {
  readonly transaction: Transaction;
  /** The transactions for which it has to wait. */
  readonly blockers: Set<LockOwner>;
  readonly changes: RowChange[];
}

/** A statement which waits for locks. */
export interface Waiting {
  readonly transaction: Transaction;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly done: Done;
}
