/** SQLite's primary result codes that say something about the store, not about a statement (https://www.sqlite.org/rescode.html). */
export const STORE_CODES: ReadonlyMap<number, string> = new Map([
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
const FULL = 13;
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

/** The primary result code, the low byte of the extended one; 0 for any other error. */
export function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? (error.errcode as number) & 0xff : 0;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === FULL;
}

export function isDamaged(error: unknown): boolean {
  return DAMAGED.has(codeOf(error));
}
