import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile, makePrivateFolder } from "../../../base/files/private.ts";
import { UserError } from "../../terminal/user-error.ts";

const defaultWaitMs = 2_000;

/**
 * Locks a folder against other processes of this program until it is disposed or
 * the process ends. The lock is a file lock held by SQLite; a file beside it has
 * the id of the process.
 * @param maxWaitMs how long to wait for the previous process to end
 * @throws UserError naming the folder and the process that holds the lock
 */
export function lockFolder(folder: string, maxWaitMs = defaultWaitMs): Disposable {
  const path = join(folder, "lock");
  const note = `${path}.pid`;
  makePrivateFolder(folder);
  makePrivateFile(path);
  const db = new DatabaseSync(path, { timeout: maxWaitMs });
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY");
    // With this mode the lock outlives the transaction.
    db.exec("BEGIN EXCLUSIVE; PRAGMA user_version = 1; COMMIT");
    writeFileSync(note, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new UserError(`data folder "${folder}" is in use by ${holder(note)}`, { cause: error });
  }
  return {
    [Symbol.dispose]() {
      rmSync(note, { force: true });
      db.close();
    },
  };
}

function holder(note: string): string {
  try {
    return `process ${readFileSync(note, "utf8").trim()}`;
  } catch {
    return "another process";
  }
}

/** SQLITE_BUSY: https://www.sqlite.org/rescode.html */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && ((error.errcode as number) & 0xff) === 5;
}
