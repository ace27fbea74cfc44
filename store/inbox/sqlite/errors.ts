import { InboxOpenError, InboxUnavailableError, PageCursorError } from "../inbox.ts";

/** SQLite's primary result codes that say something about the store, not about a statement (https://www.sqlite.org/rescode.html). */
const STORE_CODES: ReadonlyMap<number, string> = new Map([
  [5, "busy"],
  [6, "locked"],
  [7, "out of memory"],
  [8, "read-only"],
  [10, "I/O error"],
  [11, "damaged"],
  [13, "disk full"],
  [14, "can't be opened"],
  [26, "damaged"],
]);
const FULL = 13;
const BUSY = 5;
const DAMAGED = new Set([11, 26]);

interface SqliteError extends Error {
  /** Extended result code; its low byte is the primary one. */
  readonly errcode: number;
}

/** The primary result code; 0 for any other error. */
function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? (error as SqliteError).errcode & 0xff : 0;
}

/** Whether the store failed, in contrast to a request that can't be fulfilled. */
export function isStoreError(error: unknown): boolean {
  return STORE_CODES.has(codeOf(error)) || error instanceof InboxUnavailableError;
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === FULL;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

/** Why a database can't be opened, in words. */
export function toOpenError(path: string, error: unknown): InboxOpenError {
  if (error instanceof InboxOpenError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const advice = DAMAGED.has(codeOf(error))
    ? `inbox file "${path}" is damaged or no SQLite database (${message}): restore it, or move it away to start anew`
    : `inbox file "${path}" can't be opened: ${message}`;
  return new InboxOpenError(advice, { cause: error });
}

/** An error as it crosses to another thread. */
export interface ErrorNote {
  readonly kind: "open" | "unavailable" | "cursor" | "range" | "other";
  readonly message: string;
}

export function toNote(path: string, error: unknown): ErrorNote {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InboxOpenError) return { kind: "open", message };
  if (error instanceof PageCursorError) return { kind: "cursor", message };
  if (error instanceof RangeError) return { kind: "range", message };
  const why = STORE_CODES.get(codeOf(error));
  if (why !== undefined) return { kind: "unavailable", message: `inbox file "${path}": ${why} (${message})` };
  return { kind: isStoreError(error) ? "unavailable" : "other", message };
}

/** For a request: a database that can't be opened again is only unavailable now. */
export function fromNote({ kind, message }: ErrorNote): Error {
  if (kind === "cursor") return new PageCursorError(message);
  if (kind === "range") return new RangeError(message);
  if (kind === "other") return new Error(message);
  return new InboxUnavailableError(message);
}
