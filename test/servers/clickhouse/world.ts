import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ClickHouseStore,
  type ClickHouseStoreOptions,
  migrateClickHouseStore,
  openClickHouseStore,
} from "../../../store/events/clickhouse/clickhouse.ts";
import { type EventsWorld, exportMs } from "../../conformance/events/world.ts";
import { openPostgresServer, type PostgresServer } from "../inbox/postgres-server.ts";
import { type ClickHouseServer, openClickHouse } from "./server.ts";

/** The servers of a store: PostgreSQL for the ledger, and one ClickHouse for each shard. */
export interface StoreServers extends AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly shards: readonly ClickHouseServer[];
  /** Creates an empty store, which is deleted when it is disposed of. */
  createWorld(): Promise<ClickHouseWorld>;
}

export interface ClickHouseWorld extends EventsWorld<ClickHouseStore> {
  readonly options: ClickHouseStoreOptions;
}

export async function openStoreServers(shardCount: number): Promise<StoreServers> {
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await openPostgresServer());
  const shards: ClickHouseServer[] = [];
  for (let shard = 0; shard < shardCount; shard++) shards.push(opened.use(await openClickHouse()));
  const stack = opened.move();
  let stores = 0;
  return {
    postgres,
    shards,
    createWorld: () => createWorld(postgres, shards, `store_${++stores}`),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function createWorld(
  postgres: PostgresServer,
  shards: readonly ClickHouseServer[],
  name: string,
): Promise<ClickHouseWorld> {
  const folder = await mkdtemp(join(tmpdir(), "clickhouse-store-"));
  const options: ClickHouseStoreOptions = {
    shards: shards.map(({ url }) => url),
    database: name,
    user: "default",
    password: "",
    ledger: { url: postgres.url, schema: name },
    now: () => exportMs,
    resultsFolder: join(folder, "results"),
    maxResultBytes: 256 * 1_048_576,
    maxQueries: 2,
    maxWaiting: 8,
  };
  await migrateClickHouseStore(options);
  return {
    folder,
    options,
    shardCount: shards.length,
    open: (limits) => openClickHouseStore({ ...options, ...limits }),
    async [Symbol.asyncDispose]() {
      // The schema, and what the servers have not deleted yet, go with the servers.
      await Promise.all(shards.map((shard) => shard.query(`DROP DATABASE ${name}`)));
      await rm(folder, { recursive: true });
    },
  };
}
