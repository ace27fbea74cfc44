import type { StoreFaults } from "../faults.ts";
import type { Operations } from "../operations.ts";

/** What tells one store in PostgreSQL from another. */
export interface PostgresStore {
  readonly faults: StoreFaults;
  readonly operations: Operations;
  /** Operations that a crash of the server may undo, but not the end of this process: not worth a sync of their own. */
  readonly lazy?: ReadonlySet<string>;
  /**
   * Forward migrations; the version of a schema is how many it has had (the
   * table `{version}`). What was published is never changed.
   */
  readonly migrations: readonly string[];
  /** The table or sequence that `{name}` stands for. Stores may share a schema when they call theirs differently. */
  tableOf(name: string): string;
}

/** Small letters, digits and underscores: then the name is the same quoted and unquoted. */
const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** @throws RangeError for a schema name that would need quoting. */
export function checkSchemaName(schema: string): void {
  if (NAME.test(schema)) return;
  throw new RangeError(`schema "${schema}" is not a name of small letters, digits and underscores`);
}

/** A text with its `{names}` put into a schema. */
export function inSchema(store: Pick<PostgresStore, "tableOf">, sql: string, schema: string): string {
  return sql.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => `"${schema}".${store.tableOf(name)}`);
}
