import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadConfig } from "../../../cmd/config/config.ts";
import { median } from "../../harness/compare.ts";
import { makeFolder } from "../../harness/processes.ts";
import { ownCpuMs } from "../contest.ts";
import { type RestRequest, restRequests } from "../rest-requests.ts";
import { serveConfig } from "../serving.ts";
import { fillStore, makeStore } from "./data.ts";
import { areInstalled, startStore } from "./servers.ts";

/**
 * Measures the typical requests over HTTP as the data grows, with 50 events of each user in the month. The times of
 * several shards on one machine say little; the CPU time of the busiest is what they would take on machines of their
 * own.
 */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000,10000000,100000000" },
    shards: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
    /** Leaves events in the parts that the inserts made, since merging 100 million takes long. */
    unmerged: { type: "boolean", default: false },
  },
});
if (!areInstalled()) process.exit();
const count = Number(values.shards);
await using store = await startStore(count);
const all = Array.from({ length: count }, (_, number) => number);
await makeStore(store.options);
const cwd = makeFolder();
writeFileSync(
  join(cwd, "engage.yaml"),
  JSON.stringify({ listen: "127.0.0.1:0", data: cwd, ...store.config }),
);
await using replica = await serveConfig(loadConfig({ env: {}, cwd }));

interface Grown {
  readonly ms: number;
  /** The CPU time of the busiest shard, and of all shards and the replica. */
  readonly shardCpuMs: number;
  readonly cpuMs: number;
  readonly rows: number;
}

async function rowsRead(): Promise<number> {
  const sql = "SELECT sum(value) FROM system.events WHERE event = 'SelectedRows'";
  const read = await Promise.all(all.map((shard) => store.sqlOf(shard)(sql)));
  return read.reduce((sum, text) => sum + Number(text), 0);
}

async function measure(request: RestRequest): Promise<Grown> {
  await replica.ask(request);
  const rounds = Number(values.rounds);
  const ms: number[] = [];
  const [rowsBefore, ownBefore, before] = [await rowsRead(), ownCpuMs(), store.shardCpuMs()];
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    await replica.ask(request);
    ms.push(performance.now() - startMs);
  }
  const spent = store.shardCpuMs().map((cpuMs, shard) => (cpuMs - before[shard]!) / rounds);
  return {
    ms: median(ms),
    shardCpuMs: Math.max(...spent),
    cpuMs: (ownCpuMs() - ownBefore) / rounds + spent.reduce((sum, cpuMs) => sum + cpuMs, 0),
    rows: ((await rowsRead()) - rowsBefore) / rounds,
  };
}

for (const events of values.events.split(",").map(Number)) {
  const { unmerged } = values;
  for (const number of all)
    await fillStore(store.sqlOf(number), { events, users: events / 50, shard: { number, count }, unmerged });
  const rows: object[] = [];
  for (const [request, asked] of Object.entries(restRequests)) {
    const { ms, shardCpuMs, cpuMs, rows: read } = await measure(asked);
    rows.push({
      request,
      "rows read": Math.round(read),
      ms: Math.round(ms),
      "CPU ms": Math.round(cpuMs),
      "CPU ms of the busiest shard": Math.round(shardCpuMs),
    });
  }
  console.log(`${events} events, ${count} shards`);
  console.table(rows);
}
