import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import type { PostgresStore } from "../../../store/sql/postgres/store.ts";
import { addChanges, createMakeChanges, type MakeChanges, type RowChange } from "./changes.ts";
import { createLocks, isDeadlock, type Locks, tableOf } from "./locks.ts";
import { type NamedRows, parseJson, toBound, withRows } from "./rows.ts";
import { ServerError, toServerError } from "./server-error.ts";
import { createTables, type Tables } from "./tables.ts";
import {
  createTransaction,
  type Done,
  type Outcome,
  type Running,
  type Transaction,
  type Waiting,
} from "./transaction.ts";
import { type LockedRows, type RowLock, type Step, type Translated, translate } from "./translate.ts";

/**
 * A model of PostgreSQL in one process, which runs the SQL of the stores. SQLite evaluates each
 * statement; the model adds what several connections of PostgreSQL do to each other at the level READ
 * COMMITTED: a statement sees what was committed before it began and what its own transaction wrote,
 * rows and names are locked until the commit, a statement waits for a lock, a circle of waits ends with
 * an error, and sequences never give a number twice.
 *
 * SQLite holds the committed data, and the changes of at most one open transaction, which is undone
 * while another one is at work (`#activate`).
 */
export class DatabaseServer {
  readonly #db: DatabaseSync;
  readonly #tables: Tables;
  #ports: ServerPorts = idle;
  readonly #translated = new Map<string, Translated>();
  readonly #statements = new Map<string, StatementSync>();
  readonly #sequences = new Map<string, number>();
  #locks: Locks = createLocks();
  #waiting: Waiting[] = [];
  /** The transaction whose changes are in SQLite. */
  #active: Transaction | undefined;
  readonly #makeChanges: MakeChanges;
  #running: Running | undefined;

  constructor(stores: readonly PostgresStore[]) {
    this.#db = new DatabaseSync(":memory:");
    this.#db.function("nextval", { deterministic: false }, (name) => this.#next(String(name)));
    this.#db.function("touch", (table, key, mode) => this.#touch(`${table} ${key}`, mode as RowLock));
    this.#db.function("changed", { varargs: true }, (kind, table, key, ...values) =>
      this.#changed(kind as RowChange["kind"], String(table), String(key), values),
    );
    this.#db.function("is_free", (table, key) => this.#isFree(`${table} ${key}`));
    this.#db.function("clock_us", () => BigInt(Math.round(this.#ports.clockMs() * 1_000)));
    this.#db.function("pg_advisory_xact_lock", (name) => this.#touch(`name ${name}`, "update"));
    this.#db.function("pg_notify", (channel, text) => this.#notify(String(channel), String(text)));
    this.#tables = createTables(this.#db, stores);
    this.#makeChanges = createMakeChanges(this.#db, this.#tables.keyed);
  }

  /** Begins a history with empty tables. */
  start(ports: ServerPorts): void {
    this.#ports = ports;
    this.#suspend();
    this.#waiting = [];
    this.#locks = createLocks();
    this.#sequences.clear();
    this.#db.exec("BEGIN");
    for (const table of this.#tables.keys.keys()) this.#prepare(`DELETE FROM ${table}`).run();
    this.#db.exec("COMMIT");
  }

  begin(): Transaction {
    return createTransaction();
  }

  /** Runs a statement of a transaction. Calls `done` at once, or when the locks it waits for are free. */
  run(transaction: Transaction, text: string, values: readonly unknown[], done: Done): void {
    this.#try({ transaction, text, values, done });
  }

  commit(transaction: Transaction): void {
    if (transaction.rows.size > 0) {
      this.#activate(transaction);
      this.#leave("COMMIT");
    }
    for (const key of transaction.locked) transaction.tables.add(tableOf(key));
    this.#end(transaction);
    this.#ports.committed(transaction);
  }

  /** Ends a transaction without its changes; a statement which waits is never called back. */
  rollback(transaction: Transaction): void {
    if (transaction.isEnded) return;
    if (this.#active === transaction) this.#suspend();
    this.#waiting = this.#waiting.filter((one) => one.transaction !== transaction);
    this.#end(transaction);
  }

  /** Reads committed data, as an observer who takes no part. */
  read<T extends object>(sql: string, ...values: (string | number)[]): readonly T[] {
    this.#suspend();
    return this.#prepare(sql).all(...values) as T[];
  }

  #end(transaction: Transaction): void {
    transaction.isEnded = true;
    this.#locks.releaseAll(transaction);
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting.filter((one) => one.transaction.waitsFor.has(transaction));
    this.#waiting = this.#waiting.filter((one) => !waiting.includes(one));
    for (const one of waiting) one.transaction.waitsFor.clear();
    // In the order in which they came. Each may be made to wait again by those before it.
    for (const one of waiting) this.#ports.soon(() => !one.transaction.isEnded && this.#try(one));
  }

  #try(waiting: Waiting): void {
    const { transaction, text, values, done } = waiting;
    const running: Running = { transaction, blockers: new Set(), changes: [] };
    const { blockers } = running;
    const outcome = this.#runIn(running, text, values);
    for (const blocker of blockers) transaction.waitsFor.add(blocker);
    if (blockers.size === 0) {
      done(outcome);
    } else if (isDeadlock(transaction)) {
      transaction.waitsFor.clear();
      done({ error: new ServerError("40P01", "deadlock detected") });
    } else this.#waiting.push(waiting);
  }

  /** Runs a statement, which changes nothing when it fails or has to wait. */
  #runIn(running: Running, text: string, values: readonly unknown[]): Outcome {
    const { transaction, blockers, changes } = running;
    this.#activate(transaction);
    let end = { keep: () => {}, undo: () => {} };
    let outcome: Outcome;
    this.#running = running;
    try {
      const translated = this.#translate(text);
      if (translated.isChange) end = this.#beginChange(transaction);
      outcome = { rows: this.#evaluate(translated, values) };
    } catch (error) {
      outcome = { error: toServerError(error) };
    }
    this.#running = undefined;
    if (blockers.size > 0 || outcome.error !== undefined) end.undo();
    else {
      end.keep();
      addChanges(transaction.rows, changes);
    }
    return outcome;
  }

  /** Begins a statement of the active transaction, or of one that has changed nothing so far. */
  #beginChange(transaction: Transaction): { readonly keep: () => void; readonly undo: () => void } {
    if (this.#active === undefined) {
      this.#enter(transaction);
      return { keep: () => {}, undo: () => this.#suspend() };
    }
    this.#prepare("SAVEPOINT statement").run();
    const release = (): void => void this.#prepare("RELEASE statement").run();
    const undo = (): void => {
      this.#prepare("ROLLBACK TO statement").run();
      release();
    };
    return { keep: release, undo };
  }

  #evaluate({ steps, locks, relation }: Translated, values: readonly unknown[]): readonly object[] {
    if (relation !== undefined && !this.#exists(relation)) {
      throw new ServerError("42P01", `relation "${relation}" does not exist`);
    }
    let rows: readonly Record<string, unknown>[] = [];
    const named: NamedRows[] = [];
    const isSkipping = locks?.skipping !== undefined && this.#locks.isAnyLocked(locks.table);
    for (const step of isSkipping ? [locks.skipping] : steps) {
      rows = this.#runStep(step, values, named);
      if (step.name !== undefined)
        named.push({ name: step.name, rows, columns: this.#columnsOf(step, named) });
      this.#cascade(step.sql);
    }
    return locks === undefined ? rows.map(parseJson) : rows.map((row) => this.#lockRow(row, locks));
  }

  #lockRow(row: Record<string, unknown>, { table, mode }: LockedRows): object {
    const { lock_key: key, ...rest } = row;
    this.#touch(`${table} ${key as string}`, mode);
    return rest;
  }

  #runStep(step: Step, values: readonly unknown[], named: readonly NamedRows[]): Record<string, unknown>[] {
    const { sql, params } = withRows(step, named);
    const bound = [...step.params.map((place) => values[place]), ...params].map(toBound);
    return this.#prepare(sql).all(...bound) as Record<string, unknown>[];
  }

  #columnsOf(step: Step, named: readonly NamedRows[]): readonly string[] {
    return this.#prepare(withRows(step, named).sql)
      .columns()
      .map(({ name }) => name);
  }

  #exists(relation: string): boolean {
    return this.#prepare("SELECT 1 FROM relations WHERE name = ?1").get(relation) !== undefined;
  }

  #cascade(sql: string): void {
    if (!sql.startsWith("DELETE")) return;
    for (const { child, column, parent } of this.#tables.foreignKeys) {
      if (!sql.startsWith(`DELETE FROM ${parent} `)) continue;
      this.#prepare(`DELETE FROM ${child} WHERE ${column} NOT IN (SELECT ${column} FROM ${parent})`).run();
    }
  }

  #touch(key: string, mode: RowLock): null {
    // Also called while changes of a transaction are applied again, which has its locks already.
    if (this.#running === undefined) return null;
    const { transaction, blockers } = this.#running;
    if (blockers.size > 0) return null;
    for (const blocker of this.#locks.take(transaction, key, mode)) blockers.add(blocker);
    return null;
  }

  /** Remembers what a statement makes of a row, and locks the row. */
  #changed(kind: RowChange["kind"], table: string, key: string, values: readonly SQLOutputValue[]): null {
    if (this.#running === undefined) return null;
    this.#running.changes.push({ kind, table, key, values });
    return this.#touch(`${table} ${key}`, kind === "update" ? "noKeyUpdate" : "update");
  }

  #isFree(key: string): number {
    return this.#locks.isFree(this.#running!.transaction, key, "update") ? 1 : 0;
  }

  #next(sequence: string): number {
    const next = (this.#sequences.get(sequence) ?? 0) + 1;
    this.#sequences.set(sequence, next);
    return next;
  }

  #notify(channel: string, text: string): null {
    this.#running!.transaction.notifications.push({ channel, text });
    return null;
  }

  /** Puts the changes of a transaction into SQLite, and takes out those of another one. */
  #activate(transaction: Transaction): void {
    if (this.#active === transaction) return;
    this.#suspend();
    if (transaction.rows.size === 0) return;
    this.#enter(transaction);
    this.#makeChanges(transaction.rows);
  }

  #enter(transaction: Transaction): void {
    this.#prepare("BEGIN").run();
    this.#active = transaction;
  }

  #suspend(): void {
    if (this.#active !== undefined) this.#leave("ROLLBACK");
  }

  #leave(end: "COMMIT" | "ROLLBACK"): void {
    this.#prepare(end).run();
    this.#active = undefined;
  }

  #translate(text: string): Translated {
    const known = this.#translated.get(text);
    if (known !== undefined) return known;
    const translated = translate(text, this.#tables.keys);
    this.#translated.set(text, translated);
    return translated;
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

export interface ServerPorts {
  /** The server's clock, in milliseconds since 1970. */
  readonly clockMs: () => number;
  /** Calls a function as the next event. */
  readonly soon: (call: () => void) => void;
  /** Called after each commit. */
  readonly committed: (transaction: Transaction) => void;
}

const idle: ServerPorts = { clockMs: () => 0, soon: () => {}, committed: () => {} };
