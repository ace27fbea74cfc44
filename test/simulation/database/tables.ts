import type { DatabaseSync } from "node:sqlite";
import { inSchema, type PostgresStore } from "../../../store/sql/postgres/store.ts";
import { tableKinds } from "./relations.ts";
import { type Keys, keyText } from "./translate.ts";

/** What the model needs to know about the tables. */
export interface Tables {
  /** The primary keys. */
  readonly keys: Keys;
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
  for (const [table, columns] of keys) if (columns.length > 0) watch(db, table, columns);
  for (const { child, column, parent } of foreignKeys) {
    db.exec(`CREATE TEMP TRIGGER ${child}_refers AFTER INSERT ON ${child}
      BEGIN SELECT touch('${parent}', quote(NEW.${column}), 'keyShare'); END`);
  }
  return { keys, foreignKeys };
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
  if (sql === "" || /^CREATE SEQUENCE|SET STORAGE|^UPDATE/.test(sql)) return [];
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

/** Reports each row which a statement writes, even one that stays as it is: it is locked all the same. */
function watch(db: DatabaseSync, table: string, columns: readonly string[]): void {
  const isKeyChanged = columns.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(" OR ");
  const uniques = uniquesOf(db, table);
  const written = [
    `touch('${table}', ${keyText(columns, "NEW")}, 'update')`,
    ...uniques.map(({ name, columns: own }) => `touch('${name}', ${keyText(own, "NEW")}, 'update')`),
  ];
  db.exec(`
    CREATE TEMP TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN SELECT ${written.join(", ")}; END;
    CREATE TEMP TRIGGER ${table}_deleted AFTER DELETE ON ${table}
      BEGIN SELECT touch('${table}', ${keyText(columns, "OLD")}, 'update'); END;
    CREATE TEMP TRIGGER ${table}_updated AFTER UPDATE ON ${table} WHEN NOT (${isKeyChanged})
      BEGIN SELECT touch('${table}', ${keyText(columns, "OLD")}, 'noKeyUpdate'); END;`);
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
