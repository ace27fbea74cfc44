import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "../harness/compare.ts";
import { makeFolder, startServer } from "../harness/processes.ts";
import type { Turn } from "./ingest-load.ts";
import { type Measured, measureTurn, rowOf, runContest, startLoad } from "./ingest-rounds.ts";
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
const load = startLoad();

interface MeasuredService extends Measured {
  /** Seconds from the first byte sent until all records can be queried. */
  readonly queryableSeconds: number;
}

async function measureService(turn: Omit<Turn, "port">): Promise<MeasuredService> {
  const measured = await measureTurn(load, service, turn);
  const endMs = performance.now();
  await allQueryable(service);
  return { ...measured, queryableSeconds: measured.seconds + (performance.now() - endMs) / 1_000 };
}

for (const records of [20, 1_000]) {
  const { count, first, second, ratio } = await runContest({
    records,
    recordsPerRound: Number(values.records),
    rounds,
    first: measureService,
    second: (turn) => measureTurn(load, floor, turn),
  });
  const queryable = median(first.map(({ queryableSeconds }) => count / queryableSeconds));
  console.table([
    { ...rowOf("engage", count, first), "queryable records/s": Math.round(queryable) },
    rowOf("floor: node:http, gunzip, JSON.parse, append and fsync", count, second),
  ]);
  console.log(`ratio of records/s ${ratio.toFixed(2)} (bar ≥ 0.5), median of ${rounds} rounds`);
  console.log(
    `resident memory ${Math.round(service.residentMiB())} MiB, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
}
load.disconnect();
