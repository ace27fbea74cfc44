import type { Client, ClientBase, Pool } from "pg";
import { createClient, type PostgresConnection } from "./connect.ts";
import { isMissing, toStoreError } from "./errors.ts";
import { checkSchemaName, inSchema, type PostgresStore } from "./store.ts";

export interface Migrated {
  /** The versions before and after; equal when nothing changed. Version 0: the store did not exist. */
  readonly from: number;
  readonly to: number;
}

/**
 * Migrates a store's tables in a schema to the version of this program, in one transaction, and creates
 * a missing schema. Of several concurrent calls one migrates; the others find the work done.
 *
 * @throws OpenError of the store when the tables are newer than this program.
 * @throws UnavailableError of the store when the database is unavailable.
 */
export async function migrateStore(
  store: PostgresStore,
  connection: PostgresConnection,
  schema: string,
): Promise<Migrated> {
  checkSchemaName(schema);
  const client = createClient(connection);
  try {
    await client.connect();
    return await migrateWith(store, client, schema);
  } catch (error) {
    throw toStoreError(store.faults, error);
  } finally {
    await client.end();
  }
}

/**
 * Checks a store's tables and its server.
 * @throws OpenError of the store unless the tables have this program's version and the server syncs
 * commits to disk
 */
export async function checkServer(store: PostgresStore, pool: Pool, schema: string): Promise<void> {
  const { faults, migrations } = store;
  const version = await readVersion(store, pool, schema);
  if (version > migrations.length) throw newerError(store, schema, version);
  if (version < migrations.length) {
    const description = `has version ${version}, this program needs ${migrations.length}: run engage migrate`;
    throw new faults.OpenError(`${faults.noun} schema "${schema}" ${description}`);
  }
  const { rows } = await pool.query<{ name: string }>(
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'",
  );
  if (rows.length === 0) return;
  const off = rows.map(({ name }) => name).join(" and ");
  const description = `has ${off} off, so ${faults.ifNotDurable}: turn it on`;
  throw new faults.OpenError(`${faults.noun} database ${description}`);
}

async function migrateWith(store: PostgresStore, client: Client, schema: string): Promise<Migrated> {
  const { migrations } = store;
  const query = (sql: string, params: unknown[] = []) => client.query(inSchema(store, sql, schema), params);
  await client.query("BEGIN");
  // One lock for all stores of a schema, since each one may create the schema.
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`engage migrate ${schema}`]);
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await query("CREATE TABLE IF NOT EXISTS {version} (version integer NOT NULL)");
  const from = await readVersion(store, client, schema);
  if (from > migrations.length) throw newerError(store, schema, from);
  for (const migration of migrations.slice(from)) await query(migration);
  await query("DELETE FROM {version}");
  await query("INSERT INTO {version} VALUES ($1)", [migrations.length]);
  await client.query("COMMIT");
  return { from, to: migrations.length };
}

async function readVersion(store: PostgresStore, client: Pool | ClientBase, schema: string): Promise<number> {
  try {
    const sql = inSchema(store, "SELECT version FROM {version}", schema);
    const { rows } = await client.query<{ version: number }>(sql);
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function newerError({ faults, migrations }: PostgresStore, schema: string, version: number): Error {
  const known = `newer than ${migrations.length}, which this program knows`;
  return new faults.OpenError(`${faults.noun} schema "${schema}" has version ${version}, ${known}`);
}
