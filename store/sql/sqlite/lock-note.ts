import { readFileSync, rmSync, writeFileSync } from "node:fs";

/**
 * Says who has a database, for the message to a second process. Only a note: the
 * lock itself is SQLite's, which the system frees when its holder dies.
 */
export function writeLockNote(path: string): void {
  try {
    writeFileSync(notePath(path), `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // On a full disk a store is opened all the same, so that it can free room.
  }
}

export function removeLockNote(path: string): void {
  rmSync(notePath(path), { force: true });
}

/** `process 123`, or less when the note can't be read. */
export function readLockNote(path: string): string {
  try {
    return `process ${readFileSync(notePath(path), "utf8").trim()}`;
  } catch {
    return "another process";
  }
}

function notePath(path: string): string {
  return `${path}.pid`;
}
