import { OccupiedError } from "../faults.ts";
import { createClient, type PostgresConnection } from "./connect.ts";
import { toStoreError } from "./errors.ts";
import { inSchema, type PostgresStore } from "./store.ts";

/** Runs a statement with parameters, in whose text `{name}` is a table of the store, and returns its rows. */
export type RunQuery = <T extends object>(sql: string, params?: readonly unknown[]) => Promise<readonly T[]>;

/** Runs work in one transaction on a connection of its own, such as a copy of many rows. */
export async function runTransaction<T>(
  store: Pick<PostgresStore, "faults" | "tableOf">,
  { schema, ...connection }: PostgresConnection & { readonly schema: string },
  work: (query: RunQuery) => Promise<T>,
): Promise<T> {
  const client = createClient(connection);
  const query: RunQuery = async <R extends object>(sql: string, params: readonly unknown[] = []) =>
    (await client.query<R>(inSchema(store, sql, schema), [...params])).rows;
  try {
    await client.connect();
    await client.query("BEGIN");
    const outcome = await work(query);
    await client.query("COMMIT");
    return outcome;
  } catch (error) {
    throw error instanceof OccupiedError ? error : toStoreError(store.faults, error);
  } finally {
    // An open transaction is rolled back.
    await client.end();
  }
}
