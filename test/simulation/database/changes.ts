import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { toBound } from "./rows.ts";

/** A table with its columns, of which some are the primary key. */
export interface KeyedTable {
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** One change of one row. */
export interface RowChange {
  readonly kind: "insert" | "update" | "delete";
  readonly table: string;
  /** Identifies the row among those of its table. */
  readonly key: string;
  /** The values of all columns; of a deleted row, those of the key. */
  readonly values: readonly SQLOutputValue[];
}

/** What a transaction has made of a row. */
interface ChangedRow {
  readonly table: string;
  /** Whether the row is there without the transaction. */
  readonly isCommitted: boolean;
  readonly isDeleted: boolean;
  readonly values: readonly SQLOutputValue[];
}

/** The rows which an open transaction has changed, by table and key. */
export type ChangedRows = Map<string, ChangedRow>;

/** Adds changes of a transaction to those before. */
export function addChanges(rows: ChangedRows, changes: readonly RowChange[]): void {
  for (const { kind, table, key, values } of changes) {
    const name = `${table} ${key}`;
    const isCommitted = rows.get(name)?.isCommitted ?? kind !== "insert";
    const isDeleted = kind === "delete";
    if (isDeleted && !isCommitted) rows.delete(name);
    else rows.set(name, { table, isCommitted, isDeleted, values });
  }
}

/** Makes the changes of a transaction again. @throws Error when another transaction has changed its rows */
export type MakeChanges = (rows: ChangedRows) => void;

export function createMakeChanges(db: DatabaseSync, tables: ReadonlyMap<string, KeyedTable>): MakeChanges {
  const statements = new Map<string, Statements>();

  function statementsOf(table: string): Statements {
    const known = statements.get(table);
    if (known !== undefined) return known;
    const prepared = prepare(db, table, tables.get(table)!);
    statements.set(table, prepared);
    return prepared;
  }
  function make({ table, isCommitted, isDeleted, values }: ChangedRow): void {
    const { insert, update, remove, keyOf } = statementsOf(table);
    const bound = values.map(toBound);
    const changed = (): ReturnType<StatementSync["run"]> => {
      if (isDeleted) return remove.run(...bound);
      return isCommitted ? update.run(...bound, ...keyOf(bound)) : insert.run(...bound);
    };
    if (changed().changes !== 1) throw new Error("the model let another transaction change locked rows");
  }
  return (rows) => {
    // A deleted row leaves its unique values to others.
    for (const row of rows.values()) if (row.isDeleted) make(row);
    for (const row of rows.values()) if (!row.isDeleted) make(row);
  };
}

interface Statements {
  readonly insert: StatementSync;
  readonly update: StatementSync;
  readonly remove: StatementSync;
  /** Returns the values of the key among those of all columns. */
  readonly keyOf: <T>(values: readonly T[]) => readonly T[];
}

function prepare(db: DatabaseSync, table: string, { columns, key }: KeyedTable): Statements {
  const places = key.map((name) => columns.indexOf(name));
  const isRow = key.map((name) => `${name} = ?`).join(" AND ");
  return {
    insert: db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`),
    update: db.prepare(
      `UPDATE ${table} SET ${columns.map((name) => `${name} = ?`).join(", ")} WHERE ${isRow}`,
    ),
    remove: db.prepare(`DELETE FROM ${table} WHERE ${isRow}`),
    keyOf: (values) => places.map((place) => values[place]!),
  };
}
