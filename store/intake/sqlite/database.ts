import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { IntakeOpenError, IntakeUnavailableError } from "../intake.ts";

/** "inta" */
const applicationId = 0x696e7461;
const cacheKib = 65_536;

/** Each brings the schema up by one version. `seq` is the place where the batch began that wrote the row. */
const migrations: readonly string[] = [
  `CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT;
   CREATE TABLE projects (project INTEGER PRIMARY KEY, users INTEGER NOT NULL) STRICT;
   CREATE TABLE accounts (
     project INTEGER NOT NULL, account TEXT NOT NULL, user INTEGER NOT NULL, seq INTEGER NOT NULL,
     PRIMARY KEY (project, account)) STRICT, WITHOUT ROWID;
   CREATE TABLE visitors (
     project INTEGER NOT NULL, visitor TEXT NOT NULL, user INTEGER NOT NULL, bound INTEGER NOT NULL,
     seq INTEGER NOT NULL, PRIMARY KEY (project, visitor)) STRICT, WITHOUT ROWID;
   CREATE TABLE first_checks (
     project INTEGER NOT NULL, event TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL,
     PRIMARY KEY (project, event, id)) STRICT, WITHOUT ROWID;
   CREATE INDEX first_checks_by_seq ON first_checks (seq);
   CREATE TABLE uuids (
     seq INTEGER PRIMARY KEY, base_ms INTEGER NOT NULL, latest_ms INTEGER NOT NULL, claims BLOB NOT NULL) STRICT;`,
];

/** Primary result codes that are the disk's or the file's fault: https://www.sqlite.org/rescode.html */
const busy = 5;
const damaged: ReadonlySet<number> = new Set([11, 26]);

/** The file, held by this process alone. What fails is told as a fault of the intake. */
export class IntakeDatabase implements Disposable {
  readonly #db: DatabaseSync;
  readonly #path: string;

  private constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** @throws IntakeOpenError */
  static open(path: string, lockWaitMs: number): IntakeDatabase {
    let db: DatabaseSync | undefined;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      db = new DatabaseSync(path, { timeout: lockWaitMs });
      configure(db);
      migrate(db, path);
      syncFolder(dirname(path));
      return new IntakeDatabase(db, path);
    } catch (error) {
      db?.close();
      throw toOpenError(path, error);
    }
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  prepare(sql: string): Statement {
    const statement: StatementSync = this.#db.prepare(sql);
    return {
      get: (...values) => this.#guard(() => statement.get(...values)) as Record<string, number> | undefined,
      run: (...values) => this.#guard(() => Number(statement.run(...values).changes)),
      all: (...values) => this.#guard(() => statement.iterate(...values)),
    };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (codeOf(error) === 0) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new IntakeUnavailableError(`intake file "${this.#path}": ${message}`, { cause: error });
    }
  }
}

export interface Statement {
  get(...values: SQLInputValue[]): Record<string, number> | undefined;
  /** The number of rows that it changed. */
  run(...values: SQLInputValue[]): number;
  all(...values: SQLInputValue[]): IterableIterator<Record<string, unknown>>;
}

function configure(db: DatabaseSync): void {
  // Exclusive before WAL: then one process has the file, and no shared memory is needed.
  db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL");
  // Ids must never be given twice, so a commit is on disk before the store sees what was prepared.
  db.exec("PRAGMA synchronous = FULL");
  db.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA temp_store = MEMORY`);
}

function migrate(db: DatabaseSync, path: string): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const application = db.prepare("PRAGMA application_id").get()?.["application_id"];
  const tables = db.prepare("SELECT COUNT(*) AS count FROM sqlite_schema").get()?.["count"];
  if (application !== applicationId && tables !== 0) {
    throw new IntakeOpenError(`intake file "${path}" is a SQLite database of something else`);
  }
  if (version > migrations.length) {
    const known = `newer than ${migrations.length}, which this program knows`;
    throw new IntakeOpenError(`intake file "${path}" has version ${version}, ${known}`);
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

function toOpenError(path: string, error: unknown): IntakeOpenError {
  if (error instanceof IntakeOpenError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code === busy) {
    return new IntakeOpenError(`intake file "${path}" is in use by another process`, { cause: error });
  }
  const advice = damaged.has(code)
    ? `is damaged or no SQLite database (${message}): restore it together with the store of events`
    : `can't be opened: ${message}`;
  return new IntakeOpenError(`intake file "${path}" ${advice}`, { cause: error });
}

/** The primary result code; 0 for any other error. */
function codeOf(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error)) return 0;
  return (error.errcode as number) & 0xff;
}
