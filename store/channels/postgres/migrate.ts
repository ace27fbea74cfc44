import type { Client, ClientBase, Pool } from "pg";
import { ChannelsOpenError } from "../channels.ts";
import { createClient, type PostgresConnection } from "./connect.ts";
import { isMissing, toChannelsError } from "./errors.ts";
import { checkSchemaName, inSchema, MIGRATIONS } from "./schema.ts";

export interface Migrated {
  /** Versions before and after; the same when there was nothing to do. 0: there was no store. */
  readonly from: number;
  readonly to: number;
}

/**
 * Brings the store's tables in a schema to the version of this program, in one
 * transaction; makes the schema when it is missing. Of several at once, one
 * migrates and the others find it done.
 *
 * @throws ChannelsOpenError when the tables are newer than this program.
 * @throws ChannelsUnavailableError when the database is away.
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  checkSchemaName(schema);
  const client = createClient(connection);
  try {
    await client.connect();
    return await migrateWith(client, schema);
  } catch (error) {
    throw toChannelsError(error);
  } finally {
    await client.end();
  }
}

/** @throws ChannelsOpenError unless the tables have this program's version. */
export async function checkVersion(client: Pool | ClientBase, schema: string): Promise<void> {
  const version = await readVersion(client, schema);
  if (version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length) throw newerError(schema, version);
  throw new ChannelsOpenError(
    `channels in schema "${schema}" have version ${version}, this program needs ${MIGRATIONS.length}: run engage migrate`,
  );
}

/** @throws ChannelsOpenError when the server would call a commit done before the disk has it. */
export async function checkDurability(client: Pool | ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off'",
  );
  if (rows.length === 0) return;
  const off = rows.map(({ name }) => name).join(" and ");
  throw new ChannelsOpenError(
    `channels database has ${off} off, so a crash would send batches again: turn it on`,
  );
}

async function migrateWith(client: Client, schema: string): Promise<Migrated> {
  await client.query("BEGIN");
  // The lock of the inbox's migration: both make the schema.
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`engage migrate ${schema}`]);
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await client.query(inSchema("CREATE TABLE IF NOT EXISTS {version} (version integer NOT NULL)", schema));
  const from = await readVersion(client, schema);
  if (from > MIGRATIONS.length) throw newerError(schema, from);
  for (const migration of MIGRATIONS.slice(from)) await client.query(inSchema(migration, schema));
  await client.query(inSchema("DELETE FROM {version}", schema));
  await client.query(inSchema("INSERT INTO {version} VALUES ($1)", schema), [MIGRATIONS.length]);
  await client.query("COMMIT");
  return { from, to: MIGRATIONS.length };
}

async function readVersion(client: Pool | ClientBase, schema: string): Promise<number> {
  try {
    const { rows } = await client.query<{ version: number }>(
      inSchema("SELECT version FROM {version}", schema),
    );
    return rows[0]?.version ?? 0;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function newerError(schema: string, version: number): ChannelsOpenError {
  return new ChannelsOpenError(
    `channels in schema "${schema}" have version ${version}, newer than ${MIGRATIONS.length}, which this program knows`,
  );
}
