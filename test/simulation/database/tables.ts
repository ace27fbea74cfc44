import type { DatabaseSync } from "node:sqlite";
import { inSchema, type PostgresStore } from "../../../store/sql/postgres/store.ts";
import type { KeyedTable, RowChange } from "./changes.ts";
import { tableKinds } from "./relations.ts";
import { type Keys, keyText } from "./translate.ts";

/** What the model needs to know about the tables. */
export interface Tables {
  /** The primary keys. */
  readonly keys: Keys;
  /** The tables with a primary key. */
  readonly keyed: ReadonlyMap<string, KeyedTable>;
  readonly foreignKeys: readonly ForeignKey[];
}

/** Rows of `child` which are deleted with the row of `parent` that they refer to. */
export interface ForeignKey {
  readonly child: string;
  readonly column: string;
  readonly parent: string;
}

const replacements: readonly (readonly [RegExp, string])[] = [
  [/"\w+"\./g, ""],
  [/--[^\n]*/g, ""],
  [/ COLLATE "C"/g, ""],
  [/\) WITH \([^)]*\)/g, ")"],
  [/ REFERENCES (\w+) \((\w+)\) ON DELETE CASCADE/g, ""],
  [/\bbytea\b/g, "blob"],
  [/gen_random_uuid\(\)::text/g, "'uuid'"],
  [/nextval\('(\w+)'\)/g, "(nextval('$1'))"],
];

/** Creates the tables of stores from their own migrations, in SQLite. */
export function createTables(db: DatabaseSync, stores: readonly PostgresStore[]): Tables {
  const foreignKeys: ForeignKey[] = [];
  for (const store of stores) {
    for (const migration of store.migrations) {
      for (const statement of inSchema(store, migration, "s")
        .replaceAll(/--[^\n]*/g, "")
        .split(";")) {
        foreignKeys.push(...foreignKeysOf(statement));
        for (const sql of statementsOf(statement)) db.exec(sql);
      }
    }
  }
  db.exec("CREATE TABLE relations (name text PRIMARY KEY NOT NULL)");
  for (const { create } of tableKinds) db.exec(create);
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
  const keys = new Map(names.map(({ name }) => [name, keyOf(db, name)]));
  const keyed = new Map<string, KeyedTable>();
  for (const [table, key] of keys) {
    if (key.length > 0) keyed.set(table, { columns: columnsOf(db, table), key });
  }
  for (const [table, columns] of keyed) watch(db, table, columns);
  for (const { child, column, parent } of foreignKeys) {
    db.exec(`CREATE TEMP TRIGGER ${child}_refers AFTER INSERT ON ${child}
      BEGIN SELECT touch('${parent}', quote(NEW.${column}), 'keyShare'); END`);
  }
  return { keys, keyed, foreignKeys };
}

function statementsOf(statement: string): readonly string[] {
  let sql = statement.trim();
  for (const [pattern, replacement] of replacements) sql = sql.replace(pattern, replacement);
  const [, table = ""] = /^CREATE TABLE (\w+)/.exec(sql) ?? [];
  // BIGINT is no alias of the row's id, so numbers are given as a sequence gives them: never twice.
  sql = sql.replace(
    /(\w+) bigint PRIMARY KEY GENERATED (?:ALWAYS|BY DEFAULT) AS IDENTITY/,
    `$1 bigint PRIMARY KEY NOT NULL DEFAULT (nextval('${table}'))`,
  );
  sql = sql.replace(/PRIMARY KEY DEFAULT/, "PRIMARY KEY NOT NULL DEFAULT");
  sql = sql.replace(/(\w+) (bigint|text) PRIMARY KEY(?! NOT)/, "$1 $2 PRIMARY KEY NOT NULL");
  // An index that is not unique changes no result, and with conditions of its own it makes SQLite plan again for new
  // values.
  if (sql === "" || /^CREATE (?:SEQUENCE|INDEX)|^DROP INDEX|SET STORAGE|^UPDATE/.test(sql)) return [];
  const altered = /^ALTER TABLE (\w+) (.*)$/s.exec(sql);
  if (altered === null) return [sql];
  return altered[2]!.split(", ").map((change) => `ALTER TABLE ${altered[1]} ${change}`);
}

function foreignKeysOf(statement: string): readonly ForeignKey[] {
  const [, child = ""] = /CREATE TABLE "s"\.(\w+)/.exec(statement) ?? [];
  const references = statement.matchAll(
    /(\w+) bigint NOT NULL REFERENCES "s"\.(\w+) \(\w+\) ON DELETE CASCADE/g,
  );
  return Array.from(references, ([, column = "", parent = ""]) => ({ child, column, parent }));
}

function keyOf(db: DatabaseSync, table: string): readonly string[] {
  const columns = db
    .prepare(`SELECT name, pk FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`)
    .all();
  return (columns as { name: string }[]).map(({ name }) => name);
}

function columnsOf(db: DatabaseSync, table: string): readonly string[] {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('${table}') ORDER BY cid`).all();
  return (columns as { name: string }[]).map(({ name }) => name);
}

/** Reports each row which a statement writes, even one that stays as it is: it is locked all the same. */
function watch(db: DatabaseSync, table: string, { columns, key }: KeyedTable): void {
  const isKeyChanged = key.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(" OR ");
  const changed = (kind: RowChange["kind"], alias: "OLD" | "NEW", reported: readonly string[]): string => {
    const values = reported.map((column) => `${alias}.${column}`).join(", ");
    return `changed('${kind}', '${table}', ${keyText(key, alias)}, ${values})`;
  };
  const removed = changed("delete", "OLD", key);
  const uniques = uniquesOf(db, table);
  const inserted = [
    changed("insert", "NEW", columns),
    ...uniques.map(({ name, columns: own }) => `touch('${name}', ${keyText(own, "NEW")}, 'update')`),
  ].join(", ");
  const updated = changed("update", "NEW", columns);
  db.exec(`
    CREATE TEMP TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN SELECT ${inserted}; END;
    CREATE TEMP TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN SELECT ${removed}; END;
    CREATE TEMP TRIGGER ${table}_updated AFTER UPDATE ON ${table} WHEN NOT (${isKeyChanged})
      BEGIN SELECT ${updated}; END;
    CREATE TEMP TRIGGER ${table}_moved AFTER UPDATE ON ${table} WHEN ${isKeyChanged}
      BEGIN SELECT ${removed}, ${inserted}; END;`);
}

function uniquesOf(db: DatabaseSync, table: string): readonly { name: string; columns: readonly string[] }[] {
  const indexes = db
    .prepare(`SELECT name FROM pragma_index_list('${table}') WHERE "unique" = 1 AND origin <> 'pk'`)
    .all() as { name: string }[];
  return indexes.map(({ name }) => {
    const columns = db.prepare(`SELECT name FROM pragma_index_info('${name}')`).all() as { name: string }[];
    return { name, columns: columns.map((column) => column.name) };
  });
}
