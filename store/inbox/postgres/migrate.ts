import type { Client, ClientBase, Pool } from "pg";
import { InboxOpenError } from "../inbox.ts";
import { createClient, type PostgresConnection } from "./connect.ts";
import { isMissing, toInboxError } from "./errors.ts";
import { checkSchemaName, inSchema, MIGRATIONS } from "./schema.ts";

export interface Migrated {
  /** Versions before and after; the same when there was nothing to do. 0: there was no inbox. */
  readonly from: number;
  readonly to: number;
}

/**
 * Brings a schema to the version of this program, in one transaction; makes it when
 * it is missing. Of several at once, one migrates and the others find it done.
 *
 * @throws InboxOpenError when the schema is newer than this program.
 * @throws InboxUnavailableError when the database is away.
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  checkSchemaName(schema);
  const client = createClient(connection);
  try {
    await client.connect();
    return await migrateWith(client, schema);
  } catch (error) {
    throw toInboxError(error);
  } finally {
    await client.end();
  }
}

/** @throws InboxOpenError unless the schema has this program's version. */
export async function checkVersion(client: Pool | ClientBase, schema: string): Promise<void> {
  const version = await readVersion(client, schema);
  if (version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length) throw newerError(schema, version);
  throw new InboxOpenError(
    `inbox schema "${schema}" has version ${version}, this program needs ${MIGRATIONS.length}: run engage migrate`,
  );
}

/** @throws InboxOpenError when the server would call a commit done before the disk has it. */
export async function checkDurability(client: Pool | ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')",
  );
  const off = rows.filter(({ setting }) => setting === "off").map(({ name }) => name);
  if (off.length === 0) return;
  throw new InboxOpenError(
    `inbox database has ${off.join(" and ")} off, so a crash would lose accepted batches: turn it on`,
  );
}

async function migrateWith(client: Client, schema: string): Promise<Migrated> {
  await client.query("BEGIN");
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

function newerError(schema: string, version: number): InboxOpenError {
  return new InboxOpenError(
    `inbox schema "${schema}" has version ${version}, newer than ${MIGRATIONS.length}, which this program knows`,
  );
}
