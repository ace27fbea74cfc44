import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ChannelsOpenError } from "../channels.ts";
import type { Dialect, Operation, Query, Row, Value } from "../sql/query.ts";
import { toOpenError } from "./errors.ts";
import type { WorkerSetup } from "./requests.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

/** As large as a few bodies need: those are some tens of KB. */
const PAGE_BYTES = 8_192;
const CACHE_KIB = 16_384;
const WAL_PAGES = 2_048;

export const sqliteDialect: Dialect = {
  forUpdate: "",
  skipLocked: "",
  integersOf: (param) => `(SELECT value FROM json_each(${param}))`,
};

/** The file, held by this process alone, and what is prepared for it. */
export class ChannelsDatabase implements Disposable {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** @throws ChannelsOpenError naming the file. */
  static open({ path, lockWaitMs }: Pick<WorkerSetup, "path" | "lockWaitMs">): ChannelsDatabase {
    let db: DatabaseSync | undefined;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      db = new DatabaseSync(path, { timeout: lockWaitMs });
      configure(db);
      migrate(db, path);
      syncFolder(dirname(path));
      return new ChannelsDatabase(db);
    } catch (error) {
      db?.close();
      throw toOpenError(path, error);
    }
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Runs one statement without parameters, prepared at its first use. */
  exec(sql: string): void {
    this.#prepare(sql).run();
  }

  run<T>(operation: Operation<T>): T {
    let step = operation.next([]);
    while (step.done !== true) step = operation.next(this.#query(step.value));
    return step.value;
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#db.close();
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
    const text = sql.replaceAll(/\{(\w+)\}/g, "$1").replaceAll(/\$(\d)/g, "?$1");
    const statement = this.#db.prepare(text);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function configure(db: DatabaseSync): void {
  // Exclusive before WAL: then one process has the file, and no shared memory is needed.
  db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = ${PAGE_BYTES}`);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec(`PRAGMA wal_autocheckpoint = ${WAL_PAGES}; PRAGMA journal_size_limit = ${WAL_PAGES * PAGE_BYTES}`);
  // Otherwise each savepoint writes the pages it may have to restore to a file.
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY`);
}

function migrate(db: DatabaseSync, path: string): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const application = db.prepare("PRAGMA application_id").get()?.["application_id"];
  const tables = db.prepare("SELECT COUNT(*) AS count FROM sqlite_schema").get()?.["count"];
  if (application !== APPLICATION_ID && tables !== 0) {
    throw new ChannelsOpenError(`channels file "${path}" is a SQLite database of something else`);
  }
  if (version > MIGRATIONS.length) {
    throw new ChannelsOpenError(
      `channels file "${path}" has version ${version}, newer than ${MIGRATIONS.length}, which this program knows`,
    );
  }
  db.exec("BEGIN IMMEDIATE");
  for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
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
