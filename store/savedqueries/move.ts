import { type CopyCounts, copyTables } from "../sql/copy-tables.ts";
import type { PostgresConnection } from "../sql/postgres/connect.ts";
import { savedQueryStore as to } from "./postgres/store.ts";
import { savedQueryStore as from } from "./sqlite/store.ts";

const tables = [{ name: "queries", sequence: { column: "seq" } }] as const;

/**
 * Copies saved queries from a file into an empty schema.
 * @throws OccupiedError, SavedQueriesOpenError, SavedQueriesUnavailableError
 */
export async function moveSavedQueries(
  path: string,
  connection: PostgresConnection & { readonly schema: string },
): Promise<CopyCounts> {
  return await copyTables({ path, from, to, connection, tables });
}
