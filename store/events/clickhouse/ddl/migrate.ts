import { EventsOpenError } from "../../events.ts";
import { Connection, type ConnectionOptions } from "../connection.ts";
import { type DdlOptions, onCluster } from "./tables.ts";

export interface Migrated {
  /** The versions before and after; equal when nothing changed. Version 0: the store did not exist. */
  readonly from: number;
  readonly to: number;
}

/**
 * Forward migrations of each server's database. The version of a database is the highest number in its
 * table `engage_migrations`. A published migration never changes. The tables of projects are created
 * with their first records.
 */
const migrations: readonly ((options: DdlOptions) => readonly string[])[] = [
  ({ cluster }) => [
    `CREATE TABLE IF NOT EXISTS engage_shard${onCluster(cluster)}
     (store String, shard UInt32, shards UInt32) ENGINE = MergeTree ORDER BY shard
     SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  ],
];

const createVersions = ({ cluster }: DdlOptions): string =>
  `CREATE TABLE IF NOT EXISTS engage_migrations${onCluster(cluster)} (version UInt32)
   ENGINE = MergeTree ORDER BY version SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * Migrates the databases of all shards to the version of this program. Several processes may do it at
 * once: each statement may be repeated.
 * @param store the name of the store in the ledger, so that a server of another store is not taken for a
 * shard
 * @throws EventsOpenError when a database is newer, or belongs to another store or shard
 * @throws EventsUnavailableError when a server is unavailable
 */
export async function migrateShards(
  options: ConnectionOptions,
  ddl: DdlOptions,
  store: string,
): Promise<readonly Migrated[]> {
  await createDatabases(options, ddl);
  await using connection = new Connection(options);
  return await connection.onEach(async (shard, signal) => {
    const run = (sql: string) => connection.command(shard, { sql, signal });
    await run(createVersions(ddl));
    const from = await readVersion(connection, shard);
    if (from > migrations.length) throw newerError(shard, from);
    for (const [at, migration] of migrations.entries()) {
      if (at < from) continue;
      for (const sql of migration(ddl)) await run(sql);
      await run(`INSERT INTO engage_migrations VALUES (${at + 1})`);
    }
    await nameShard(connection, shard, store);
    return { from, to: migrations.length };
  });
}

/**
 * Checks the version of each database, and that each server is the shard it is configured as.
 * @throws EventsOpenError
 */
export async function checkShards(connection: Connection, store: string): Promise<void> {
  await connection.onEach(async (shard) => {
    const version = await readVersion(connection, shard);
    if (version > migrations.length) throw newerError(shard, version);
    if (version < migrations.length) {
      const words = `has version ${version}, this program needs ${migrations.length}: run engage migrate`;
      throw new EventsOpenError(`the database of shard ${shard + 1} ${words}`);
    }
    await checkShard(connection, shard, store);
  });
}

/** The database of a connection must exist before it can be used. */
async function createDatabases(options: ConnectionOptions, ddl: DdlOptions): Promise<void> {
  await using connection = new Connection({ ...options, database: "default" });
  await connection.onEach(async (shard, signal) => {
    const sql = `CREATE DATABASE IF NOT EXISTS ${options.database}${onCluster(ddl.cluster)}`;
    await connection.command(shard, { sql, signal });
  });
}

async function readVersion(connection: Connection, shard: number): Promise<number> {
  const [found] = await connection.rows<[number]>(shard, {
    sql: "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'engage_migrations'",
  });
  if (Number(found![0]) === 0) return 0;
  const [row] = await connection.rows<[number]>(shard, { sql: "SELECT max(version) FROM engage_migrations" });
  return row?.[0] ?? 0;
}

async function nameShard(connection: Connection, shard: number, store: string): Promise<void> {
  const rows = await shardRows(connection, shard);
  if (rows.length === 0) {
    const sql = `INSERT INTO engage_shard VALUES ('${store}', ${shard}, ${connection.shardCount})`;
    await connection.command(shard, { sql });
  }
  await checkShard(connection, shard, store);
}

async function checkShard(connection: Connection, shard: number, store: string): Promise<void> {
  for (const [found, number, count] of await shardRows(connection, shard)) {
    if (found !== store) {
      const words = `belongs to the store "${found}" and not to "${store}"`;
      throw new EventsOpenError(`the database of shard ${shard + 1} ${words}`);
    }
    if (number === shard && count === connection.shardCount) continue;
    const words = `is shard ${number + 1} of ${count}, but configured as ${shard + 1} of ${connection.shardCount}`;
    throw new EventsOpenError(`the database of shard ${shard + 1} ${words}`);
  }
}

function shardRows(
  connection: Connection,
  shard: number,
): Promise<(readonly [store: string, shard: number, shards: number])[]> {
  return connection.rows(shard, { sql: "SELECT DISTINCT store, shard, shards FROM engage_shard" });
}

function newerError(shard: number, version: number): Error {
  const known = `newer than ${migrations.length}, which this program knows`;
  return new EventsOpenError(`the database of shard ${shard + 1} has version ${version}, ${known}`);
}
