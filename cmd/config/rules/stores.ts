import type { ConfigPath } from "../problem.ts";
import type { Config } from "../resolve.ts";
import type { Settings } from "../schema/schema.ts";
import type { Finding } from "../tls-files.ts";
import { checkDatabaseUrl } from "./webhook.ts";

const path = (...names: (string | number)[]): ConfigPath => ["stores", ...names];
const needs = path();

/** Checks the section `stores`: what the drivers of the stores require of it. */
export function checkStores({ stores, events }: Settings, config: Config): Finding[] {
  const usesClickHouse = config.events.driver === "clickhouse";
  return [
    ...checkPostgres(stores, config, usesClickHouse),
    ...checkShards(stores.clickhouse.shards, usesClickHouse),
    ...checkSpool(events.spool, usesClickHouse),
  ].map((finding) => ({ needs, ...finding }));
}

function checkSpool({ minFreeBytes }: Settings["events"]["spool"], usesClickHouse: boolean): Finding[] {
  if (minFreeBytes === undefined || !usesClickHouse) return [];
  const message =
    "is for events.driver duckdb: the disk of PostgreSQL, which stores the records, is not measured";
  return [{ path: ["events", "spool", "minFreeBytes"], message }];
}

function checkPostgres(
  { driver, postgres: { url } }: Settings["stores"],
  { webhook, channel }: Config,
  usesClickHouse: boolean,
): Finding[] {
  if (url !== undefined) {
    const isUsed =
      driver === "shared" ||
      usesClickHouse ||
      webhook.inbox.driver === "postgres" ||
      channel.store.driver === "postgres";
    const unused = { path: path("postgres", "url"), message: "is for stores.driver shared" };
    return [...checkDatabaseUrl(path("postgres", "url"), url), ...(isUsed ? [] : [unused])];
  }
  if (driver === "shared")
    return [{ path: path("postgres", "url"), message: "is required by stores.driver shared" }];
  if (!usesClickHouse) return [];
  const message = "is required by events.driver clickhouse, which keeps its ledger of loaded batches there";
  return [{ path: path("postgres", "url"), message }];
}

function checkShards(shards: readonly string[], usesClickHouse: boolean): Finding[] {
  if (shards.length === 0) {
    const message =
      "must list the HTTP URL of at least one ClickHouse server, or set events.driver to duckdb";
    return usesClickHouse ? [{ path: path("clickhouse", "shards"), message }] : [];
  }
  if (!usesClickHouse)
    return [{ path: path("clickhouse", "shards"), message: "is for events.driver clickhouse" }];
  return shards.flatMap((shard, at): Finding[] => {
    const message = faultOfShard(shards, shard, at);
    return message === undefined ? [] : [{ path: path("clickhouse", "shards", at), message }];
  });
}

/** The text may contain a password, so it is not quoted before that is excluded. */
function faultOfShard(shards: readonly string[], text: string, at: number): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return 'must be a URL such as "http://clickhouse-1:8123"';
  if (url.username !== "" || url.password !== "")
    return "must have no user and no password: set stores.clickhouse.user and stores.clickhouse.password";
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return `must be host and port only, without path and query, for example ${JSON.stringify(url.origin)}`;
  const first = shards.findIndex((other) => URL.canParse(other) && new URL(other).origin === url.origin);
  return first < at ? `${JSON.stringify(url.origin)} is already shard ${first + 1}` : undefined;
}
