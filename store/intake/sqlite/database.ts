import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { errorMessage } from "../../../base/text/system-error.ts";
import { codeOf } from "../../sql/sqlite/errors.ts";
import { type FileSchema, openFile } from "../../sql/sqlite/file.ts";
import { IntakeOpenError, IntakeUnavailableError } from "../intake.ts";

/** The letters "inta". */
const applicationId = 0x696e7461;
const cacheKib = 65_536;

/**
 * Forward migrations. `seq` is the place at which the batch that wrote the row began. A published
 * migration never changes.
 */
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

const fileSchema: FileSchema = {
  faults: {
    noun: "intake",
    ifDamaged:
      'restore it together with the event store, or stop the server and rebuild it with "engage store rebuild-intake"',
    OpenError: IntakeOpenError,
  },
  applicationId,
  migrations,
};

/** The intake's file, which this process holds exclusively. Errors of SQLite become errors of the intake. */
export class IntakeDatabase implements Disposable {
  readonly #db: DatabaseSync;
  readonly #path: string;

  private constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** @throws IntakeOpenError */
  static open(path: string, lockWaitMs: number): IntakeDatabase {
    const db = openFile(fileSchema, { path, lockWaitMs, configure, holder: () => "another process" });
    return new IntakeDatabase(db, path);
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
      throw new IntakeUnavailableError(`intake file "${this.#path}": ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }
}

export interface Statement {
  get(...values: SQLInputValue[]): Record<string, number> | undefined;
  /** Returns the number of changed rows. */
  run(...values: SQLInputValue[]): number;
  all(...values: SQLInputValue[]): IterableIterator<Record<string, unknown>>;
}

function configure(db: DatabaseSync): void {
  db.exec("PRAGMA journal_mode = WAL");
  // Ids must never be assigned twice, so a commit is on disk before the store receives the prepared records.
  db.exec("PRAGMA synchronous = FULL");
  db.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA temp_store = MEMORY`);
}
