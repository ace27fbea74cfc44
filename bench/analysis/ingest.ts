import { mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { median } from "../harness/compare.ts";
import { makeFolder, type Server, startServer } from "../harness/processes.ts";
import type { Turn } from "./ingest-load.ts";
import { type Measured, measureTurn, rowOf, runContest, startLoad } from "./ingest-rounds.ts";
import { allQueryable, startService, waitingBytes } from "./service.ts";

/**
 * Measures `/sync_server` against a server that only gunzips, parses and syncs in groups, in turns: a service that
 * accepts records and loads none, and one that also loads them on the same cores. The next turn begins when all of
 * the latter are loaded.
 */
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, records: { type: "string", default: "60000" } },
});
const rounds = Number(values.rounds);
const recordsPerRound = Number(values.records);
const folder = makeFolder();
const floorData = join(folder, "floor");
mkdirSync(floorData);
await using floor = await startServer("bench/analysis/ingest-floor.ts", 7341, { ENGAGE_DATA: floorData });
await using loading = await startService(7342, join(folder, "loading"));
const load = startLoad();

/** Batches that do not begin until 256 MiB wait, but for the first ones, see `BatchStart`. */
const noLoading = { events: { batch: { maxDelayMs: 86_400_000, maxBytes: 2 ** 28 } } };

interface MeasuredServices extends Measured {
  readonly loading: Measured & {
    /** Seconds from the first byte sent until all records can be queried. */
    readonly queryableSeconds: number;
  };
}

/** Resolves when the first batches are loaded. */
async function restWaits(server: Server): Promise<void> {
  for (let before = -1, bytes = 0; bytes !== before; bytes = await waitingBytes(server)) {
    before = bytes;
    await sleep(1_000);
  }
}

/** @throws Error if records were loaded meanwhile */
async function measureAccepting(server: Server, turn: Omit<Turn, "port">): Promise<Measured> {
  const before = await waitingBytes(server);
  const measured = await measureTurn(load, server, turn);
  if ((await waitingBytes(server)) > before) return measured;
  throw new Error("records were loaded, measure fewer rounds or records");
}

async function measureLoading(turn: Omit<Turn, "port">): Promise<MeasuredServices["loading"]> {
  const measured = await measureTurn(load, loading, turn);
  const endMs = performance.now();
  await allQueryable(loading);
  return { ...measured, queryableSeconds: measured.seconds + (performance.now() - endMs) / 1_000 };
}

async function measure(records: number): Promise<void> {
  await using accepting = await startService(7343, join(folder, `accepting-${records}`), noLoading);
  await measureTurn(load, accepting, { connections: 16, batches: recordsPerRound / records, records });
  await restWaits(accepting);
  const { count, first, second, ratio, cpuRatio } = await runContest({
    records,
    recordsPerRound,
    rounds,
    async first(turn): Promise<MeasuredServices> {
      const measured = await measureAccepting(accepting, turn);
      return { ...measured, loading: await measureLoading(turn) };
    },
    second: (turn) => measureTurn(load, floor, turn),
  });
  const both = first.map((one) => one.loading);
  const queryable = median(both.map(({ queryableSeconds }) => count / queryableSeconds));
  console.table([
    rowOf("engage, accepting", count, first),
    { ...rowOf("engage, also loading", count, both), "queryable records/s": Math.round(queryable) },
    rowOf("floor: node:http, gunzip, JSON.parse, append and fsync", count, second),
  ]);
  console.log(
    `accepting against the floor: ratio of records/s ${ratio.toFixed(2)}, of records per CPU second ` +
      `${cpuRatio.toFixed(2)} (bar ≥ 0.7), medians of ${rounds} rounds`,
  );
  console.log(
    `resident memory ${Math.round(loading.residentMiB())} MiB, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
}

for (const records of [20, 1_000]) await measure(records);
load.disconnect();
