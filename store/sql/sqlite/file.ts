import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivateFile, makePrivateFolder, tighten } from "../../../base/files/private.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { StoreFaults } from "../faults.ts";
import { isBusy, isDamaged } from "./errors.ts";

/** The identity and the schema of a store's file. */
export interface FileSchema {
  readonly faults: Pick<StoreFaults, "noun" | "ifDamaged" | "OpenError">;
  /** Identifies the file as this store: four letters. */
  readonly applicationId: number;
  /**
   * Forward migrations. The version of a file is the number of migrations it has had (`PRAGMA
   * user_version`). A published migration never changes.
   */
  readonly migrations: readonly string[];
}

export interface OpenFileOptions {
  readonly path: string;
  /** How long to wait for another process to release the file. */
  readonly lockWaitMs: number;
  /** Applies settings, before anything is read. */
  configure(db: DatabaseSync): void;
  /** Returns the holder of the file for the error message, such as "process 12". */
  holder(): string;
}

/**
 * Opens a store's file exclusively and migrates it to this program's version. A missing folder is
 * created, for this user alone.
 * @throws OpenError of the store, which names the file and what to do
 */
export function openFile(
  form: FileSchema,
  { path, lockWaitMs, configure, holder }: OpenFileOptions,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    makePrivateFolder(dirname(path));
    // SQLite gives the log the mode of the file.
    makePrivateFile(path);
    tighten(`${path}-wal`);
    db = new DatabaseSync(path, { timeout: lockWaitMs });
    // Exclusive before WAL: then one process holds the file, and no shared memory is needed.
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

function migrate({ faults, applicationId, migrations }: FileSchema, db: DatabaseSync, path: string): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const application = db.prepare("PRAGMA application_id").get()?.["application_id"];
  const tables = db.prepare("SELECT COUNT(*) AS count FROM sqlite_schema").get()?.["count"];
  const file = `${faults.noun} file "${path}"`;
  if (application !== applicationId && tables !== 0) {
    throw new faults.OpenError(`${file} is a SQLite database of another application`);
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

/** Syncs a folder, so that the name of a new file survives a power failure too. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Describes why a file can't be opened. */
function toOpenError({ faults }: FileSchema, path: string, error: unknown, holder: () => string): Error {
  if (error instanceof faults.OpenError) return error;
  const file = `${faults.noun} file "${path}"`;
  const message = errorMessage(error);
  if (isBusy(error)) return new faults.OpenError(`${file} is in use by ${holder()}`, { cause: error });
  const description = isDamaged(error)
    ? `${file} is damaged or not a SQLite database (${message}): ${faults.ifDamaged}`
    : `${file} can't be opened: ${message}`;
  return new faults.OpenError(description, { cause: error });
}

/**
 * Keeps other processes from opening a closed file whose log is empty. Returns undefined when the file is missing or
 * cannot be opened, or another process has it.
 */
export function lockFile(path: string): Disposable | undefined {
  if (!existsSync(path)) return undefined;
  const db = new DatabaseSync(path, { open: false, timeout: 0 });
  try {
    db.open();
    // With this mode the lock outlives the transaction.
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK");
  } catch {
    db[Symbol.dispose]();
    return undefined;
  }
  writePidFile(path);
  return {
    [Symbol.dispose]() {
      db.close();
      removePidFile(path);
    },
  };
}

/**
 * Writes the process id beside a database, for the error message of a second process. The lock itself
 * is SQLite's, which the system frees when its holder dies.
 */
export function writePidFile(path: string): void {
  try {
    writeFileSync(pidPath(path), `${process.pid}\n`, { mode: 0o600 });
  } catch {
    // A store on a full disk still opens, so that it can free space.
  }
}

export function removePidFile(path: string): void {
  try {
    rmSync(pidPath(path), { force: true });
  } catch {
    // On a disk that has become read-only the file stays. It is read only while another process has the lock.
  }
}

/** Returns `process 123`, or `another process` when the file can't be read. */
export function readHolder(path: string): string {
  try {
    return `process ${readFileSync(pidPath(path), "utf8").trim()}`;
  } catch {
    return "another process";
  }
}

function pidPath(path: string): string {
  return `${path}.pid`;
}
