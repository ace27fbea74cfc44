import { join } from "node:path";
import type { ClickHouseStoreOptions } from "../../../store/events/clickhouse/clickhouse.ts";
import type { Config } from "../../config/config.ts";
import type { SharedDatabase } from "../shared/databases.ts";

/** Returns the options of the event store on ClickHouse. */
export function clickHouseOptions(
  { data, stores: { clickhouse }, events: { engine } }: Config,
  ledger: SharedDatabase,
): ClickHouseStoreOptions {
  const { shards, database, user, password = "", queryMemoryBytes, timeoutMs } = clickhouse;
  const { maxQueries, maxWaiting, maxTempBytes, threads } = engine;
  return {
    ledger,
    shards,
    database,
    user,
    password,
    connectMs: timeoutMs,
    maxQueries,
    maxWaiting,
    maxMemoryBytes: queryMemoryBytes,
    resultsFolder: join(data, "events", "results"),
    maxResultBytes: maxTempBytes,
    ...(threads !== undefined && { maxThreads: threads }),
  };
}
