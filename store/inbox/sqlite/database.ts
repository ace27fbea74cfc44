import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { InboxOpenError } from "../inbox.ts";
import type { Dialect, Operation, Query, Row, Value } from "../sql/query.ts";
import { isBusy, toOpenError } from "./errors.ts";
import { readLockNote, removeLockNote, writeLockNote } from "./lock-note.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

export interface DatabaseSetup {
  readonly path: string;
  /** How long a start waits for the process before it to end. */
  readonly lockWaitMs: number;
  /** At about this size the log is copied into the database and begun anew. */
  readonly maxWalBytes: number;
  /** Read all pages when opening: finds damage, takes a second per gigabyte or so. */
  readonly checkAtOpen: boolean;
}

/** Bodies are some tens of KB: with pages of 4 KiB a commit takes a quarter more of the processor, from 32 KiB on it writes more. */
export const PAGE_BYTES = 8192;
const CACHE_KIB = 16_384;

export const sqliteDialect: Dialect = {
  forUpdate: "",
  skipLocked: "",
  integersOf: (param) => `(SELECT value FROM json_each(${param}))`,
  lockOrder: null,
};

/** An inbox's file, held by this process alone, and what is prepared for it. */
export class InboxDatabase implements Disposable {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** @throws InboxOpenError naming the file and, when another process has it, that one. */
  static open(setup: DatabaseSetup): InboxDatabase {
    let db: DatabaseSync | undefined;
    try {
      mkdirSync(dirname(setup.path), { recursive: true });
      db = new DatabaseSync(setup.path, { timeout: setup.lockWaitMs });
      configure(db, setup);
      migrate(db, setup.path);
      writeLockNote(setup.path);
      syncFolder(setup.path);
      return new InboxDatabase(db, setup.path);
    } catch (error) {
      db?.close();
      if (!isBusy(error)) throw toOpenError(setup.path, error);
      const holder = readLockNote(setup.path);
      throw new InboxOpenError(`inbox file "${setup.path}" is in use by ${holder}`, { cause: error });
    }
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Runs one statement without parameters, prepared at its first use. */
  exec(sql: string): void {
    this.#prepare(sql).run();
  }

  /** Bytes in use, without pages that wait to be used again. */
  get usedBytes(): number {
    return (this.#pragma("page_count") - this.#pragma("freelist_count")) * PAGE_BYTES;
  }

  get unusedBytes(): number {
    return this.#pragma("freelist_count") * PAGE_BYTES;
  }

  /** Cuts unused pages off the file's end, at most so many; returns how many. */
  shrink(maxPages: number): number {
    const before = this.#pragma("page_count");
    this.#db.exec(`PRAGMA incremental_vacuum(${maxPages})`);
    return before - this.#pragma("page_count");
  }

  run<T>(operation: Operation<T>): T {
    let step = operation.next([]);
    while (step.done !== true) step = operation.next(this.#query(step.value));
    return step.value;
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#db.close();
    removeLockNote(this.#path);
  }

  #query({ sql, params, insert }: Query): readonly Row[] {
    if (insert === undefined) return this.#prepare(sql).all(...(params as Value[]));
    const places = insert[0]!.map((_value, i) => `$${i + 1}`).join(", ");
    const statement = this.#prepare(`${sql} VALUES (${places})`);
    for (const row of insert) statement.run(...(row as Value[]));
    return [];
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // node:sqlite binds values by place to ?1, but not to $1.
    const statement = this.#db.prepare(sql.replaceAll(/\{(\w+)\}/g, "$1").replaceAll(/\$(\d)/g, "?$1"));
    this.#statements.set(sql, statement);
    return statement;
  }

  #pragma(name: "page_count" | "freelist_count"): number {
    const row = this.#prepare(`PRAGMA ${name}`).get() as Record<string, number>;
    return row[name] ?? 0;
  }
}

function configure(db: DatabaseSync, { path, maxWalBytes, checkAtOpen }: DatabaseSetup): void {
  // Exclusive before WAL: then one process has the file, and no shared memory is needed.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  // Checkpoints are started between commits; this bound is for when there is no pause.
  db.exec(`PRAGMA wal_autocheckpoint = ${Math.ceil((maxWalBytes * 2) / PAGE_BYTES)}`);
  db.exec(`PRAGMA journal_size_limit = ${maxWalBytes * 2}; PRAGMA cache_size = -${CACHE_KIB}`);
  // Otherwise each savepoint writes the pages it may have to restore to a file, more than the batch itself.
  db.exec("PRAGMA temp_store = MEMORY");
  if (!checkAtOpen) return;
  const [found] = db.prepare("PRAGMA quick_check(1)").all();
  if (found?.["quick_check"] === "ok") return;
  throw new InboxOpenError(
    `inbox file "${path}" is damaged (${found?.["quick_check"]}): restore it, or move it away to start anew`,
  );
}

function migrate(db: DatabaseSync, path: string): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const application = db.prepare("PRAGMA application_id").get()?.["application_id"];
  const tables = db.prepare("SELECT COUNT(*) AS count FROM sqlite_schema").get()?.["count"];
  if (application !== APPLICATION_ID && tables !== 0) {
    throw new InboxOpenError(`inbox file "${path}" is a SQLite database of something else`);
  }
  if (version > MIGRATIONS.length) {
    throw new InboxOpenError(
      `inbox file "${path}" has version ${version}, newer than ${MIGRATIONS.length}, which this program knows`,
    );
  }
  db.exec("BEGIN IMMEDIATE");
  for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
  db.exec("COMMIT");
}

/** A new file's name must outlast a power cut too. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
