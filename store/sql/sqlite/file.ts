import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile, makePrivateFolder, tighten } from "../../../base/files/private.ts";
import { messageOf, type StoreFaults } from "../faults.ts";
import { isBusy, isDamaged } from "./codes.ts";

/** What a store's file is: its mark, and how it came to be as it is. */
export interface FileForm {
  readonly faults: Pick<StoreFaults, "noun" | "ifDamaged" | "OpenError">;
  /** Marks the file as this store: four letters. */
  readonly applicationId: number;
  /**
   * Forward migrations; the version of a file is how many it has had
   * (`PRAGMA user_version`). What was published is never changed.
   */
  readonly migrations: readonly string[];
}

export interface FileOpening {
  readonly path: string;
  /** How long to wait for a process that still has the file. */
  readonly lockWaitMs: number;
  /** Settings, before anything is read. */
  configure(db: DatabaseSync): void;
  /** Who has the file, as "process 12", for the message about it. */
  holder(): string;
}

/**
 * Opens a store's file, which this process then has for itself, and brings it up
 * to this program's version. The folder is made when it is missing, for this user alone.
 * @throws OpenError of the store, naming the file and what to do
 */
export function openFile(form: FileForm, { path, lockWaitMs, configure, holder }: FileOpening): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    makePrivateFolder(dirname(path));
    // SQLite gives the log the mode of the file.
    makePrivateFile(path);
    tighten(`${path}-wal`);
    db = new DatabaseSync(path, { timeout: lockWaitMs });
    // Exclusive before WAL: then one process has the file, and no shared memory is needed.
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    configure(db);
    migrate(form, db, path);
    syncFolder(dirname(path));
    return db;
  } catch (error) {
    db?.close();
    throw toOpenError(form, path, error, holder);
  }
}

function migrate({ faults, applicationId, migrations }: FileForm, db: DatabaseSync, path: string): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const application = db.prepare("PRAGMA application_id").get()?.["application_id"];
  const tables = db.prepare("SELECT COUNT(*) AS count FROM sqlite_schema").get()?.["count"];
  const file = `${faults.noun} file "${path}"`;
  if (application !== applicationId && tables !== 0) {
    throw new faults.OpenError(`${file} is a SQLite database of something else`);
  }
  if (version > migrations.length) {
    const known = `newer than ${migrations.length}, which this program knows`;
    throw new faults.OpenError(`${file} has version ${version}, ${known}`);
  }
  db.exec("BEGIN IMMEDIATE");
  for (const migration of migrations.slice(version)) db.exec(migration);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  db.exec("COMMIT");
}

/** A new file's name must outlast a power cut too. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Why a file can't be opened, in words. */
function toOpenError({ faults }: FileForm, path: string, error: unknown, holder: () => string): Error {
  if (error instanceof faults.OpenError) return error;
  const file = `${faults.noun} file "${path}"`;
  const message = messageOf(error);
  if (isBusy(error)) return new faults.OpenError(`${file} is in use by ${holder()}`, { cause: error });
  const words = isDamaged(error)
    ? `${file} is damaged or no SQLite database (${message}): ${faults.ifDamaged}`
    : `${file} can't be opened: ${message}`;
  return new faults.OpenError(words, { cause: error });
}
