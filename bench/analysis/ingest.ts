import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, quantile } from "../harness/compare.ts";
import type { TurnResult } from "../harness/connections.ts";
import { makeFolder, startServer } from "../harness/processes.ts";
import type { Turn } from "./ingest-load.ts";
import { allQueryable, startService } from "./service.ts";

/**
 * Measures `/sync_server` against a server that only gunzips, parses and syncs in groups, in turns. The service also
 * loads the records on the same cores; the next turn begins when all are loaded.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, records: { type: "string", default: "100000" } },
});
const rounds = Number(values.rounds);
const folder = makeFolder();
const floorData = join(folder, "floor");
mkdirSync(floorData);
await using floor = await startServer("bench/analysis/ingest-floor.ts", 7341, { ENGAGE_DATA: floorData });
await using service = await startService(7342, join(folder, "service"));
const load = fork(join(import.meta.dirname, "ingest-load.ts"));

interface Measured extends TurnResult {
  readonly cpuSeconds: number;
  /** Seconds from the first byte sent until all records can be queried. */
  readonly queryableSeconds: number;
}

async function run(server: typeof floor, turn: Omit<Turn, "port">): Promise<Measured> {
  const before = server.cpuSeconds();
  load.send({ ...turn, port: server.port } satisfies Turn);
  const [result] = (await once(load, "message")) as [TurnResult];
  const cpuSeconds = server.cpuSeconds() - before;
  const endMs = performance.now();
  if (server === service) await allQueryable(service);
  return { ...result, cpuSeconds, queryableSeconds: result.seconds + (performance.now() - endMs) / 1_000 };
}

for (const records of [20, 1_000]) {
  const turn = { connections: 16, batches: Math.ceil(Number(values.records) / records), records };
  const count = turn.batches * records;
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  await run(service, turn);
  await run(floor, turn);
  for (let round = 0; round < rounds; round++) {
    ours.push(await run(service, turn));
    theirs.push(await run(floor, turn));
  }
  const rowOf = (contestant: string, measured: readonly Measured[]) => ({
    contestant,
    "records/s": Math.round(median(measured.map(({ seconds }) => count / seconds))),
    "p50 ms": median(measured.map(({ latenciesMs }) => quantile(latenciesMs, 0.5))).toFixed(1),
    "p99 ms": median(measured.map(({ latenciesMs }) => quantile(latenciesMs, 0.99))).toFixed(1),
    "CPU µs/record": ((1e6 * median(measured.map(({ cpuSeconds }) => cpuSeconds))) / count).toFixed(1),
  });
  const ratio = median(ours.map(({ seconds }, at) => theirs[at]!.seconds / seconds));
  const queryable = median(ours.map(({ queryableSeconds }) => count / queryableSeconds));
  console.log(`batches of ${records}, gzip, ${turn.connections} connections, ${count} records a round`);
  console.table([
    { ...rowOf("engage", ours), "queryable records/s": Math.round(queryable) },
    rowOf("floor: node:http, gunzip, JSON.parse, append and fsync", theirs),
  ]);
  console.log(`ratio of records/s ${ratio.toFixed(2)} (bar ≥ 0.5), median of ${rounds} rounds`);
  console.log(
    `resident memory ${Math.round(service.residentMiB())} MiB, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
}
load.disconnect();
