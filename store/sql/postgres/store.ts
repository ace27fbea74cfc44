import type { StoreFaults } from "../faults.ts";
import type { Operations } from "../operations.ts";

/** Describes one kind of store in PostgreSQL. */
export interface PostgresStore {
  readonly faults: StoreFaults;
  readonly operations: Operations;
  /**
   * Operations which a crash of the server may undo, but not the end of this process: their commits are
   * not synced.
   */
  readonly unsynced?: ReadonlySet<string>;
  /** Operations of one statement, which is a transaction of its own and needs one round trip. */
  readonly single?: ReadonlySet<string>;
  /**
   * Forward migrations. The version of a schema is the number of migrations it has had (table
   * `{version}`). A published migration never changes.
   */
  readonly migrations: readonly string[];
  /** Returns the table or sequence that `{name}` stands for. Stores with different names may share a schema. */
  tableOf(name: string): string;
}

/** Lowercase letters, digits and underscores: such a name is the same quoted and unquoted. */
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/** @throws RangeError for a schema name that would need quoting. */
export function checkSchemaName(schema: string): void {
  if (schemaName.test(schema)) return;
  throw new RangeError(
    `schema "${schema}" must consist of lowercase letters, digits and underscores, not start with a digit, and have at most 63 characters`,
  );
}

/** Tables which are the same for all stores of a schema: their transactions check its leases. */
const sharedTables: ReadonlySet<string> = new Set(["leases"]);

/** Replaces each `{name}` of a text by the table of the store in the schema. */
export function inSchema(store: Pick<PostgresStore, "tableOf">, sql: string, schema: string): string {
  const tableOf = (name: string): string => (sharedTables.has(name) ? name : store.tableOf(name));
  return sql.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => `"${schema}".${tableOf(name)}`);
}
