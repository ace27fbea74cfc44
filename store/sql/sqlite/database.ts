import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Dialect, Operation, Query, Row, Value } from "../query.ts";
import { CommitCounter, checkNotMissing, type MarkSetup } from "./commit-mark.ts";
import { isDiskFull } from "./errors.ts";
import { openFile, readHolder, removePidFile, writePidFile } from "./file.ts";
import type { SqliteStore } from "./sqlite.ts";

export interface DatabaseSetup {
  readonly path: string;
  /** How long to wait for the previous process to release the file. */
  readonly lockWaitMs: number;
  /** The approximate size at which the write-ahead log is copied into the database and restarted. */
  readonly maxWalBytes: number;
  /** Whether opening reads all pages, which finds damage and takes about a second per gigabyte. */
  readonly checkAtOpen: boolean;
  /** Undefined: the loss of acknowledged commits is not detected. */
  readonly mark?: MarkSetup | undefined;
}

/**
 * Bodies are some tens of KB. With pages of 4 KiB a commit takes a quarter more processor time; from 32
 * KiB on it writes more.
 */
export const pageBytes = 8192;
const cacheKib = 16_384;

export const sqliteDialect: Dialect = {
  forUpdate: "",
  skipLocked: () => "",
  integersOf: (param) => `(SELECT value FROM json_each(${param}))`,
  containsBytes: (column, param) => `instr(${column}, ${param}) > 0`,
  containsText: (column, param) => `instr(${column}, ${param}) > 0`,
  compressesLarge: true,
  storesDigests: false,
  lockName: null,
};

/** A store's open file, which this process holds exclusively, and its prepared statements. */
export class StoreDatabase implements Disposable {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #maxWalBytes: number;
  readonly #counter: CommitCounter | undefined;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(
    db: DatabaseSync,
    { path, maxWalBytes }: DatabaseSetup,
    counter: CommitCounter | undefined,
  ) {
    this.#db = db;
    this.#path = path;
    this.#maxWalBytes = maxWalBytes;
    this.#counter = counter;
  }

  /** @throws OpenError of the store, which names the file and the process that holds it */
  static open(store: SqliteStore, setup: DatabaseSetup): StoreDatabase {
    const { path, lockWaitMs, mark } = setup;
    if (mark !== undefined) checkNotMissing(store, path, mark);
    const db = openFile(store, {
      path,
      lockWaitMs,
      configure: (opened) => configure(store, opened, setup),
      holder: () => readHolder(path),
    });
    let counter: CommitCounter | undefined;
    try {
      counter = mark && CommitCounter.open(store, db, path, mark);
    } catch (error) {
      // A store on a full disk still opens, so that it can free space.
      if (!isDiskFull(error)) {
        db.close();
        throw error;
      }
    }
    writePidFile(path);
    return new StoreDatabase(db, setup, counter);
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Runs one statement without parameters, prepared at its first use. */
  exec(sql: string): void {
    this.#prepare(sql).run();
  }

  /** Commits the transaction. When this returns, the commit is on disk and counted in the mark. */
  commit(): void {
    const isCounted = this.#counter?.count() ?? false;
    this.exec("COMMIT");
    if (isCounted) this.#counter?.writeMark();
  }

  /** Bytes in use, without free pages. */
  get usedBytes(): number {
    return (this.#pragma("page_count") - this.#pragma("freelist_count")) * pageBytes;
  }

  /** Bytes of free pages. */
  get unusedBytes(): number {
    return this.#pragma("freelist_count") * pageBytes;
  }

  /** Truncates at most this many free pages from the end of the file; returns how many. */
  shrink(maxPages: number): number {
    const before = this.#pragma("page_count");
    this.#db.exec(`PRAGMA incremental_vacuum(${maxPages})`);
    return before - this.#pragma("page_count");
  }

  /** Moves the log into the file, which then stays as it is until `releaseFile`, while a new log grows. */
  holdFile(): void {
    this.#db.exec("PRAGMA wal_autocheckpoint = 0");
    this.emptyLog();
  }

  /** Moves the log into the file. */
  emptyLog(): void {
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  releaseFile(): void {
    limitLog(this.#db, this.#maxWalBytes);
  }

  run<T>(operation: Operation<T>): T {
    let step = operation.next([]);
    while (step.done !== true) step = operation.next(this.#query(step.value));
    return step.value;
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#counter?.[Symbol.dispose]();
    this.#db.close();
    removePidFile(this.#path);
  }

  #query({ sql, params, insert, numbered }: Query): readonly Row[] {
    if (numbered !== undefined) {
      const { lastInsertRowid } = this.#prepare(sql).run(...(params as Value[]));
      return [{ number: Number(lastInsertRowid) }];
    }
    if (insert === undefined) return this.#prepare(sql).all(...(params as Value[]));
    const places = insert[0]!.map((_value, i) => `$${i + 1}`).join(", ");
    const statement = this.#prepare(`${sql} VALUES (${places})`);
    for (const row of insert) statement.run(...(row as Value[]));
    return [];
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // node:sqlite binds positional values to ?1, but not to $1.
    const statement = this.#db.prepare(sql.replaceAll(/\{(\w+)\}/g, "$1").replaceAll(/\$(\d)/g, "?$1"));
    this.#statements.set(sql, statement);
    return statement;
  }

  #pragma(name: "page_count" | "freelist_count"): number {
    const row = this.#prepare(`PRAGMA ${name}`).get() as Record<string, number>;
    return row[name] ?? 0;
  }
}

function configure({ faults }: SqliteStore, db: DatabaseSync, setup: DatabaseSetup): void {
  const { path, maxWalBytes, checkAtOpen } = setup;
  db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  limitLog(db, maxWalBytes);
  db.exec(`PRAGMA journal_size_limit = ${maxWalBytes * 2}; PRAGMA cache_size = -${cacheKib}`);
  // Otherwise each savepoint writes the pages it may have to restore to a file, more than the batch itself.
  db.exec("PRAGMA temp_store = MEMORY");
  if (!checkAtOpen) return;
  const [found] = db.prepare("PRAGMA quick_check(1)").all();
  if (found?.["quick_check"] === "ok") return;
  const description = `is damaged (${found?.["quick_check"]}): ${faults.ifDamaged}`;
  throw new faults.OpenError(`${faults.noun} file "${path}" ${description}`);
}

/** Checkpoints run between commits; this bound applies when there is no pause. */
function limitLog(db: DatabaseSync, maxWalBytes: number): void {
  db.exec(`PRAGMA wal_autocheckpoint = ${Math.ceil((maxWalBytes * 2) / pageBytes)}`);
}
