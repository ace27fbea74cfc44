import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type MarkFile, openMarkFile, readMark } from "../../../base/files/mark-file.ts";
import type { StoreFaults } from "../faults.ts";

/** Settings for the detection of lost commits. */
export interface MarkSetup {
  /** The file of the mark, apart from the database, on another disk where there is one. */
  readonly path: string;
  /** How to continue after a loss, for the error message. */
  readonly advice: string;
}

/** What a database had acknowledged. */
export interface CommitMark {
  /** The id of the database, assigned when it was created. */
  readonly id: string;
  /** The number of commits since then. */
  readonly commits: number;
  /** The last number of each numbered table. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Not a migration: the table is the same in all stores, and earlier versions ignore it. */
const createCommits =
  "CREATE TABLE IF NOT EXISTS engage_commits (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL) STRICT";

/** The part of a store that marks need. */
interface MarkedStore {
  readonly faults: Pick<StoreFaults, "noun" | "OpenError">;
  readonly numbered: readonly string[];
}

/**
 * Checks that a database with a mark exists. To be called before a missing one would be created.
 * @throws OpenError of the store
 */
export function checkNotMissing({ faults }: MarkedStore, path: string, setup: MarkSetup): void {
  const mark = existsSync(path) ? undefined : readMark<CommitMark>(setup.path);
  if (mark === undefined) return;
  const description = `is missing; it had ${describe(mark.numbers)} in ${mark.commits} commits`;
  throw new faults.OpenError(`${faults.noun} file "${path}" ${description}: restore it, or ${setup.advice}`);
}

/**
 * Counts the commits of a database, in a row of its own and in a mark elsewhere. A database with fewer
 * commits than its mark has lost acknowledged commits. The count is in `sqlite_sequence`, whose page
 * most commits write anyway.
 */
export class CommitCounter implements Disposable {
  readonly #store: MarkedStore;
  readonly #id: string;
  readonly #file: MarkFile<CommitMark>;
  readonly #countUp: StatementSync;
  readonly #changes: StatementSync;
  readonly #numbers: StatementSync;
  #changesBefore = 0;

  private constructor(store: MarkedStore, db: DatabaseSync, id: string, file: MarkFile<CommitMark>) {
    this.#store = store;
    this.#id = id;
    this.#file = file;
    this.#countUp = db.prepare("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'engage_commits'");
    this.#changes = db.prepare("SELECT total_changes() AS changes");
    this.#numbers = db.prepare("SELECT name, seq FROM sqlite_sequence");
  }

  /** @throws OpenError of the store when commits are missing */
  static open(store: MarkedStore, db: DatabaseSync, path: string, setup: MarkSetup): CommitCounter {
    const id = identify(db);
    const counter = new CommitCounter(store, db, id, openMarkFile(setup.path));
    try {
      counter.#compare(path, setup);
    } catch (error) {
      counter[Symbol.dispose]();
      throw error;
    }
    counter.#changesBefore = counter.#countChanges();
    counter.writeMark();
    return counter;
  }

  /** Counts the commit of the current transaction. Returns false when the transaction has changed nothing. */
  count(): boolean {
    const changes = this.#countChanges();
    if (changes === this.#changesBefore) return false;
    this.#countUp.run();
    this.#changesBefore = changes + 1;
    return true;
  }

  /** Writes the mark. To be called after a counted commit and before its acknowledgement. */
  writeMark(): void {
    this.#file.write(this.#read());
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  #countChanges(): number {
    return this.#changes.get()!["changes"] as number;
  }

  #read(): CommitMark {
    const rows = this.#numbers.all() as { name: string; seq: number }[];
    const seqs = new Map(rows.map(({ name, seq }) => [name, seq]));
    const numbers = Object.fromEntries(this.#store.numbered.map((name) => [name, seqs.get(name) ?? 0]));
    return { id: this.#id, commits: seqs.get("engage_commits") ?? 0, numbers };
  }

  #compare(path: string, { advice }: MarkSetup): void {
    const mark = this.#file.found;
    if (mark === undefined) return;
    const { faults } = this.#store;
    const file = `${faults.noun} file "${path}"`;
    if (mark.id !== this.#id) {
      const description = `is not the database which had ${describe(mark.numbers)} in ${mark.commits} commits`;
      throw new faults.OpenError(
        `${file} ${description}, or it has lost its "-wal" file: restore both, or ${advice}`,
      );
    }
    const found = this.#read();
    if (found.commits >= mark.commits) return;
    const missing = Object.entries(mark.numbers)
      .map(([name, last]) => missingOf(name, found.numbers[name] ?? 0, last))
      .filter((description) => description !== undefined);
    const lost = `has lost its last ${mark.commits - found.commits} of ${mark.commits} commits`;
    const what = missing.length === 0 ? "changes to existing rows" : missing.join(", ");
    throw new faults.OpenError(
      `${file} ${lost}, among them ${what}: restore it with its "-wal" file, or ${advice}`,
    );
  }
}

/** Returns the id of a database; assigns one when it has none. */
function identify(db: DatabaseSync): string {
  db.exec("BEGIN IMMEDIATE");
  try {
    db.exec(createCommits);
    const known = db.prepare("SELECT id FROM engage_commits").get()?.["id"];
    const id = typeof known === "string" ? known : randomUUID();
    if (known === undefined) db.prepare("INSERT INTO engage_commits (id) VALUES (?)").run(id);
    db.exec("COMMIT");
    return id;
  } catch (error) {
    // SQLite may have rolled back by itself, and a second ROLLBACK would throw.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function missingOf(name: string, found: number, last: number): string | undefined {
  return found >= last ? undefined : `${name} ${found + 1} to ${last}`;
}

function describe(numbers: CommitMark["numbers"]): string {
  return Object.entries(numbers)
    .map(([name, last]) => `${last} ${name}`)
    .join(", ");
}
