import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { median } from "../../harness/compare.ts";
import { freePort, makeFolder, type Server, startServer } from "../../harness/processes.ts";
import { projectId } from "../data.ts";
import { type Measured, measureTurn, startLoad } from "../ingest-rounds.ts";
import { type CpuMs, parts, perRecord, readCpu } from "./cpu.ts";
import {
  areInstalled,
  type BareFormat,
  insertAgain,
  type Loaded,
  type StoreServers,
  startStore,
} from "./servers.ts";

/**
 * Measures how many records a second of one replica become queryable, against a bare loop that inserts the rows of the
 * same batches into a table of the same form, as lines of JSON or as columns (Parquet as replicas send it, or the
 * engine's Native), in turns. PostgreSQL, ClickHouse, the replica and the sender run on the same cores. A round sends
 * records to the replica, with ClickHouse there; then again while ClickHouse is down, so that all of them wait in the
 * spool when it is there again. Nothing begins before ClickHouse has merged what was inserted before.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "400000" },
    batch: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    /** A folder with the sources of the replica, to compare versions. */
    checkout: { type: "string", default: "." },
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
const ledger = new Client(store.postgres.url);
await ledger.connect();
const load = startLoad();
/** Asking the ledger takes a tenth of a millisecond. */
const pollMs = 10;
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
  return await startServer(`${values.checkout}/cmd/engage.ts serve --config ${file}`, port);
}

/** Returns up to where records are loaded, and whether these are all. */
async function loadedTo(): Promise<{ readonly place: string; readonly isEnd: boolean }> {
  const { rows } = await ledger.query(
    `SELECT concat(s.file_number, ' ', s.file_offset) AS place,
       s.file_number = h.number AND s.file_offset = h.size AS "isEnd"
     FROM engage.record_heads h LEFT JOIN engage.ledger_spools s ON s.spool = h.project::text`,
  );
  return rows[0];
}

async function allLoaded(): Promise<void> {
  while (!(await loadedTo()).isEnd) await sleep(pollMs);
}

/** Resolves when ClickHouse merges nothing. */
async function allMerged(): Promise<void> {
  while ((await store.sqlOf(0)("SELECT count() FROM system.merges")).trim() !== "0") await sleep(100);
}

/** Sends records, and waits until all can be queried. */
async function sendAndLoad(): Promise<Loaded> {
  const startMs = performance.now();
  await measureTurn(load, replica, turn);
  await allLoaded();
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
  const before = await loadedTo();
  await shard!.kill();
  const accepted = await measureTurn(load, replica, turn);
  await shard!.start();
  while ((await loadedTo()).place === before.place) await sleep(1);
  const startMs = performance.now();
  const cpuBefore = cpuNow();
  await allLoaded();
  const seconds = (performance.now() - startMs) / 1_000;
  const cpuAfter = cpuNow();
  const sql = `SELECT count() FROM e${projectId} WHERE batch > ${from} GROUP BY batch ORDER BY batch OFFSET 1`;
  const sizes = (await store.sqlOf(0)(sql)).trim().split("\n").map(Number);
  const loaded = sizes.reduce((sum, size) => sum + size, 0);
  return { seconds, records: loaded, accepted, cpu: perRecord(cpuBefore, cpuAfter, loaded) };
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
  await allMerged();
  const queryable = perSecond(await sendAndLoad());
  await allMerged();
  const from = await lastBatch();
  const waiting = await loadBacklog();
  cpu.push(waiting.cpu);
  const backlog = perSecond(waiting);
  const insert = async (format: BareFormat): Promise<number> => {
    await allMerged();
    return perSecond(await insertAgain(store, 0, from, format));
  };
  const [native, parquet, lines] = [
    await insert("Native"),
    await insert("Parquet"),
    await insert("JSONEachRow"),
  ];
  measured.push({ queryable, backlog, native, parquet, lines, batches: (await lastBatch()) - from });
}
load.disconnect();
await ledger.end();
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
