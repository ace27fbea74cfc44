import { ChannelsOpenError, ChannelsUnavailableError, PageCursorError } from "../channels.ts";

/** Primary result codes that say something about the store, not about a statement (https://www.sqlite.org/rescode.html). */
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
const BUSY = 5;
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

/** The primary result code; 0 for any other error. */
function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? (error.errcode as number) & 0xff : 0;
}

/** Whether the store failed, in contrast to a request that can't be fulfilled. */
export function isStoreError(error: unknown): boolean {
  return STORE_CODES.has(codeOf(error));
}

/** Why a database can't be opened, in words. */
export function toOpenError(path: string, error: unknown): ChannelsOpenError {
  if (error instanceof ChannelsOpenError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  if (code === BUSY) {
    return new ChannelsOpenError(`channels file "${path}" is in use by another process`, { cause: error });
  }
  const advice = DAMAGED.has(code)
    ? `is damaged or no SQLite database (${message}): restore it, or move it away to start anew`
    : `can't be opened: ${message}`;
  return new ChannelsOpenError(`channels file "${path}" ${advice}`, { cause: error });
}

/** An error as it crosses to another thread. */
export interface ErrorNote {
  readonly kind: "open" | "unavailable" | "cursor" | "other";
  readonly message: string;
}

export function toNote(path: string, error: unknown): ErrorNote {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ChannelsOpenError) return { kind: "open", message };
  if (error instanceof PageCursorError) return { kind: "cursor", message };
  const why = STORE_CODES.get(codeOf(error));
  if (why === undefined) return { kind: "other", message };
  return { kind: "unavailable", message: `channels file "${path}": ${why} (${message})` };
}

/** For a request: a database that can't be opened again is only unavailable now. */
export function fromNote({ kind, message }: ErrorNote): Error {
  if (kind === "cursor") return new PageCursorError(message);
  return kind === "other" ? new Error(message) : new ChannelsUnavailableError(message);
}
