import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Dialect, Operation, Query, Row, Value } from "../query.ts";
import { isDiskFull } from "./codes.ts";
import { CommitCounter, type MarkSetup, refuseMissing } from "./commit-mark.ts";
import { openFile } from "./file.ts";
import { readLockNote, removeLockNote, writeLockNote } from "./lock-note.ts";
import type { SqliteStore } from "./store.ts";

export interface DatabaseSetup {
  readonly path: string;
  /** How long a start waits for the process before it to end. */
  readonly lockWaitMs: number;
  /** At about this size the log is copied into the database and begun anew. */
  readonly maxWalBytes: number;
  /** Read all pages when opening: finds damage, takes a second per gigabyte or so. */
  readonly checkAtOpen: boolean;
  /** Undefined: nothing notices a loss of what was acknowledged. */
  readonly mark?: MarkSetup | undefined;
}

/** Bodies are some tens of KB: with pages of 4 KiB a commit takes a quarter more of the processor, from 32 KiB on it writes more. */
export const pageBytes = 8192;
const cacheKib = 16_384;

export const sqliteDialect: Dialect = {
  forUpdate: "",
  skipLocked: () => "",
  integersOf: (param) => `(SELECT value FROM json_each(${param}))`,
  lockName: null,
};

/** A store's file, held by this process alone, and what is prepared for it. */
export class StoreDatabase implements Disposable {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #counter: CommitCounter | undefined;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync, path: string, counter: CommitCounter | undefined) {
    this.#db = db;
    this.#path = path;
    this.#counter = counter;
  }

  /** @throws OpenError of the store, naming the file and, when another process has it, that one. */
  static open(store: SqliteStore, setup: DatabaseSetup): StoreDatabase {
    const { path, lockWaitMs, mark } = setup;
    if (mark !== undefined) refuseMissing(store, path, mark);
    const db = openFile(store, {
      path,
      lockWaitMs,
      configure: (opened) => configure(store, opened, setup),
      holder: () => readLockNote(path),
    });
    let counter: CommitCounter | undefined;
    try {
      counter = mark && CommitCounter.open(store, db, path, mark);
    } catch (error) {
      // On a full disk a store is opened all the same, so that it can free room.
      if (!isDiskFull(error)) {
        db.close();
        throw error;
      }
    }
    writeLockNote(path);
    return new StoreDatabase(db, path, counter);
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Runs one statement without parameters, prepared at its first use. */
  exec(sql: string): void {
    this.#prepare(sql).run();
  }

  /** Ends a transaction. When this returns, it is on disk and a start knows of it. */
  commit(): void {
    const isCounted = this.#counter?.count() ?? false;
    this.exec("COMMIT");
    if (isCounted) this.#counter?.note();
  }

  /** Bytes in use, without pages that wait to be used again. */
  get usedBytes(): number {
    return (this.#pragma("page_count") - this.#pragma("freelist_count")) * pageBytes;
  }

  get unusedBytes(): number {
    return this.#pragma("freelist_count") * pageBytes;
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
    this.#counter?.[Symbol.dispose]();
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

function configure({ faults }: SqliteStore, db: DatabaseSync, setup: DatabaseSetup): void {
  const { path, maxWalBytes, checkAtOpen } = setup;
  db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  // Checkpoints are started between commits; this bound is for when there is no pause.
  db.exec(`PRAGMA wal_autocheckpoint = ${Math.ceil((maxWalBytes * 2) / pageBytes)}`);
  db.exec(`PRAGMA journal_size_limit = ${maxWalBytes * 2}; PRAGMA cache_size = -${cacheKib}`);
  // Otherwise each savepoint writes the pages it may have to restore to a file, more than the batch itself.
  db.exec("PRAGMA temp_store = MEMORY");
  if (!checkAtOpen) return;
  const [found] = db.prepare("PRAGMA quick_check(1)").all();
  if (found?.["quick_check"] === "ok") return;
  const words = `is damaged (${found?.["quick_check"]}): ${faults.ifDamaged}`;
  throw new faults.OpenError(`${faults.noun} file "${path}" ${words}`);
}
