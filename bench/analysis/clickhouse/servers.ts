import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { globalAgent } from "node:http";
import { join } from "node:path";
import type { ClickHouseStoreOptions } from "../../../store/events/clickhouse/clickhouse.ts";
import type { ClickHouseServer } from "../../../test/servers/clickhouse/server.ts";
import type { PostgresServer } from "../../../test/servers/inbox/postgres-server.ts";
import { makeFolder } from "../../harness/processes.ts";
import { projectId } from "../data.ts";
import { benchToken } from "../service.ts";
import { post } from "../serving.ts";
import type { RunSql } from "./data.ts";

/** Servers of a store which replicas share, on this machine, with the tables of `engage migrate`. */
export interface StoreServers extends AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly shards: readonly ClickHouseServer[];
  readonly options: ClickHouseStoreOptions;
  /** The configuration of a replica. */
  readonly config: { readonly projects: readonly object[] };
  /** Returns user and system time of each ClickHouse server so far, in ms. */
  shardCpuMs(): readonly number[];
  /** Returns what runs statements in the database of a shard. */
  sqlOf(shard: number): RunSql;
}

const library = join(
  import.meta.dirname,
  "../../../test/servers/clickhouse/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so",
);
const database = "engage";

/** Reports whether the servers are installed, and says how they are when not. */
export function areInstalled(): boolean {
  const missing = [library, "/usr/lib/postgresql"].filter((path) => !existsSync(path));
  if (missing.length === 0) return true;
  console.log(`${missing.join(" and ")} missing, nothing is measured: test/servers/run installs them`);
  return false;
}

export async function startStore(shardCount: number): Promise<StoreServers> {
  const [{ openPostgresServer }, { openClickHouse }] = await Promise.all([
    import("../../../test/servers/inbox/postgres-server.ts"),
    import("../../../test/servers/clickhouse/server.ts"),
  ]);
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await openPostgresServer());
  const shards: ClickHouseServer[] = [];
  for (let shard = 0; shard < shardCount; shard++) shards.push(opened.use(await openClickHouse()));
  const urls = shards.map(({ url }) => url);
  const config = {
    log: { level: "error", access: false },
    projects: [{ id: projectId, name: "bench", appids: ["bench"], zone: "+00:00" }],
    analysis: { tokens: [{ name: "bench", token: benchToken, projects: [projectId] }] },
    stores: {
      driver: "shared",
      postgres: { url: postgres.url },
      clickhouse: { shards: urls, database, user: "default" },
    },
  };
  migrate(config);
  const stack = opened.move();
  return {
    postgres,
    shards,
    config,
    options: {
      shards: urls,
      database,
      user: "default",
      password: "",
      ledger: { url: postgres.url, schema: "engage" },
      resultsFolder: makeFolder(),
      maxResultBytes: 2 ** 32,
      maxQueries: 2,
      maxWaiting: 10,
    },
    shardCpuMs: () => shards.map(({ pid }) => cpuMsOf(pid)),
    sqlOf: (shard) => (sql) => runSql(urls[shard]!, sql),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function migrate(config: object): void {
  const folder = makeFolder();
  const file = join(folder, "engage.json");
  writeFileSync(file, JSON.stringify({ data: folder, ...config }));
  execFileSync(process.execPath, ["cmd/engage.ts", "migrate", "--config", file], { stdio: "pipe" });
}

/** Fields 14 and 15 of /proc/PID/stat are user and system time in ticks of 10 ms. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Large inserts and merges take longer than `fetch` waits. */
async function runSql(url: string, sql: string): Promise<string> {
  const parameters = new URLSearchParams({
    database,
    async_insert: "0",
    max_execution_time: "0",
    session_timezone: "UTC",
    max_memory_usage: String(8 * 2 ** 30),
  });
  return (await post(`${url}/?${parameters}`, { agent: globalAgent, body: sql })).toString("utf8");
}

/** What was loaded, and in which time. */
export interface Loaded {
  readonly seconds: number;
  readonly records: number;
}

/** A format in which rows are inserted again. */
export type BareFormat = "Native" | "Parquet" | "JSONEachRow";

/** Bodies that are inserted without a pause, so that the server merges meanwhile, as beside a loader. */
const maxBodyBytes = 512 * 2 ** 20;

/**
 * Inserts the rows of a shard again into a table of the same form, one batch after the other, as a loader does.
 * @param from only batches after this one
 */
export async function insertAgain(
  { options, sqlOf }: StoreServers,
  shard: number,
  from: number,
  format: BareFormat,
): Promise<Loaded> {
  const sql = sqlOf(shard);
  const numbers = (await sql(`SELECT DISTINCT batch FROM e${projectId} WHERE batch > ${from} ORDER BY batch`))
    .trim()
    .split("\n");
  await sql(`CREATE OR REPLACE TABLE bare AS e${projectId}`);
  const address = `${options.shards[shard]}/?database=${options.database}`;
  const post = async (query: string, body: Buffer | string): Promise<Buffer<ArrayBuffer>> => {
    const response = await fetch(`${address}&query=${encodeURIComponent(query)}`, { method: "POST", body });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(bytes.toString());
    return bytes;
  };
  const plain = "SETTINGS output_format_parquet_compression_method = 'none'";
  const rowsOf = (batch: string) =>
    post(`SELECT * FROM e${projectId} WHERE batch = ${batch} ${plain} FORMAT ${format}`, "");
  let seconds = 0;
  let bodies: Buffer[] = [];
  const insertBodies = async (): Promise<void> => {
    const startMs = performance.now();
    for (const body of bodies)
      await post(`INSERT INTO bare SETTINGS async_insert = 0 FORMAT ${format}`, body);
    seconds += (performance.now() - startMs) / 1_000;
    bodies = [];
  };
  for (const batch of numbers) {
    bodies.push(await rowsOf(batch));
    if (bodies.reduce((sum, { length }) => sum + length, 0) > maxBodyBytes) await insertBodies();
  }
  await insertBodies();
  return { seconds, records: Number(await sql("SELECT count() FROM bare")) };
}
