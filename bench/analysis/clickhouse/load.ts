import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { median } from "../../harness/compare.ts";
import { freePort, makeFolder, type Server, startServer } from "../../harness/processes.ts";
import { projectId } from "../data.ts";
import { type Measured, measureTurn, startLoad } from "../ingest-rounds.ts";
import { allQueryable } from "../service.ts";
import { type CpuMs, parts, perRecord, readCpu } from "./cpu.ts";
import { areInstalled, insertAgain, type Loaded, type StoreServers, startStore } from "./servers.ts";

/**
 * Measures how many records a second of one replica become queryable, against a bare loop that inserts the rows of the
 * same batches into a table of the same form, as lines of JSON or as columns (Parquet as replicas send it, or the
 * engine's Native), in turns. PostgreSQL, ClickHouse, the replica and the sender run on the same cores. A round sends
 * records to the replica, with ClickHouse there; then again while ClickHouse is down, so that all of them wait in the
 * spool when it is there again.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "400000" },
    batch: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
  },
});
if (!areInstalled()) process.exit();
const [records, batch, rounds] = [values.records, values.batch, values.rounds].map(Number) as [
  number,
  number,
  number,
];
await using store = await startStore(1);
await using replica = await startReplica(store);
const load = startLoad();
/** Asking takes milliseconds of the replica and of PostgreSQL, which reads the first record that waits. */
const pollMs = 100;
const turn = { connections: 16, batches: Math.ceil(records / batch), records: batch };
const count = turn.batches * turn.records;

/** Returns the highest number of a batch with events. */
const lastBatch = async (): Promise<number> =>
  Number(await store.sqlOf(0)(`SELECT max(batch) FROM e${projectId}`));

async function startReplica({ config }: StoreServers): Promise<Server> {
  const port = await freePort();
  const folder = makeFolder();
  const file = join(folder, "engage.json");
  writeFileSync(file, JSON.stringify({ listen: `127.0.0.1:${port}`, data: folder, ...config }));
  return await startServer(`cmd/engage.ts serve --config ${file}`, port);
}

/** Sends records, and waits until all can be queried. */
async function sendAndLoad(): Promise<Loaded> {
  const startMs = performance.now();
  await measureTurn(load, replica, turn);
  await allQueryable(replica, pollMs);
  return { seconds: (performance.now() - startMs) / 1_000, records: count };
}

const cpuNow = (): CpuMs =>
  readCpu({
    replica: replica.pid,
    postgres: store.postgres.pid,
    shards: store.shards.map(({ pid }) => pid),
  });

/** Sends records while ClickHouse is down, and measures their loading from the end of its first batch. */
async function loadBacklog(): Promise<Loaded & { readonly accepted: Measured; readonly cpu: CpuMs }> {
  const [shard] = store.shards;
  const from = await lastBatch();
  await shard!.kill();
  const accepted = await measureTurn(load, replica, turn);
  await shard!.start();
  const rowsFrom = async () =>
    Number(await store.sqlOf(0)(`SELECT count() FROM e${projectId} WHERE batch > ${from}`));
  let first = 0;
  while (first === 0) {
    await sleep(5);
    first = await rowsFrom();
  }
  const startMs = performance.now();
  const before = cpuNow();
  await allQueryable(replica, pollMs);
  const seconds = (performance.now() - startMs) / 1_000;
  const after = cpuNow();
  const loaded = (await rowsFrom()) - first;
  return { seconds, records: loaded, accepted, cpu: perRecord(before, after, loaded) };
}

const perSecond = ({ seconds, records: loaded }: Loaded): number => loaded / seconds;
interface Round {
  readonly queryable: number;
  readonly backlog: number;
  readonly native: number;
  readonly parquet: number;
  readonly lines: number;
  readonly batches: number;
}

const measured: Round[] = [];
const cpu: CpuMs[] = [];
await sendAndLoad();
for (let round = 0; round < rounds; round++) {
  const from = await lastBatch();
  const queryable = perSecond(await sendAndLoad());
  const waiting = await loadBacklog();
  cpu.push(waiting.cpu);
  const backlog = perSecond(waiting);
  const native = perSecond(await insertAgain(store, 0, from, "Native"));
  const parquet = perSecond(await insertAgain(store, 0, from, "Parquet"));
  const lines = perSecond(await insertAgain(store, 0, from, "JSONEachRow"));
  measured.push({ queryable, backlog, native, parquet, lines, batches: (await lastBatch()) - from });
}
load.disconnect();
console.table(
  measured.map((one) =>
    Object.fromEntries(Object.entries(one).map(([name, value]) => [name, Math.round(value)])),
  ),
);
for (const name of ["queryable", "backlog"] as const) {
  const ratios = (["lines", "parquet", "native"] as const).map(
    (loop) => `${median(measured.map((one) => one[name] / one[loop])).toFixed(2)} × of ${loop}`,
  );
  console.log(`${name}: ${ratios.join(", ")}`);
}
const cpuTexts = parts.map((part) => `${part} ${median(cpu.map((one) => one[part])).toFixed(1)}`);
console.log(`CPU µs a record that waited: ${cpuTexts.join(", ")}`);
console.log(`${count} records in batches of ${batch}, load average ${loadavg()[0]!.toFixed(1)}`);
