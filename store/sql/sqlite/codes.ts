/** SQLite's primary result codes that say something about the store, not about a statement (https://www.sqlite.org/rescode.html). */
export const storeCodes: ReadonlyMap<number, string> = new Map([
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
const busy = 5;
const full = 13;
const damaged: ReadonlySet<number> = new Set([11, 26]);

/** The primary result code, the low byte of the extended one; 0 for any other error. */
export function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? (error.errcode as number) & 0xff : 0;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === busy;
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === full;
}

export function isDamaged(error: unknown): boolean {
  return damaged.has(codeOf(error));
}
