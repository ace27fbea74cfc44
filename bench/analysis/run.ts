import { existsSync } from "node:fs";
import type { Scans } from "../../store/events/duckdb/connection.ts";
import { Database } from "../../store/events/duckdb/database.ts";
import { createQueries } from "../../store/events/duckdb/queries.ts";
import { createScans } from "../../store/events/duckdb/scan.ts";
import { createTurns } from "../../store/events/duckdb/turns.ts";
import { median } from "../harness/compare.ts";
import { storeOptions } from "./data.ts";
import { generate } from "./generate.ts";
import { requests, type TypicalRequest } from "./requests.ts";

/**
 * Typical requests of the store against SQL written by hand for one sorted
 * table in the same process and with the same threads. Both take turns request
 * by request.
 */
const [folder = "data/bench-analysis", rounds = "5", only = ""] = process.argv.slice(2);
if (!existsSync(folder)) console.log(`${await generate(folder, 10_000_000)} events generated`);

const database = await Database.open(storeOptions(folder));
const scans = createScans(createQueries(database, createTurns(2, 10)));
await using session = await database.session();

async function runOurs({ scans: own = [], users }: TypicalRequest, store: Scans): Promise<number> {
  const { signal } = new AbortController();
  let numbers = 0;
  for (const scan of own) {
    await using result = await store.scan(scan, signal);
    const { values } = await result.cells();
    numbers += values.reduce((sum, one) => sum + one.length, 0);
  }
  if (users !== undefined) for await (const page of store.users(users, signal)) numbers += page.length;
  return numbers;
}

/** Time on the clock, and of processors: that one shows less of what else the machine does. */
interface Spent {
  readonly ms: number;
  readonly cpuMs: number;
}

async function spentBy(work: () => Promise<unknown>): Promise<Spent> {
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - startMs, cpuMs: (user + system) / 1000 };
}

async function inTurn(works: readonly (() => Promise<unknown>)[]): Promise<readonly Spent[]> {
  const spent: Spent[] = [];
  for (const work of works) spent.push(await spentBy(work));
  return spent;
}

const rows: Record<string, unknown>[] = [];
const ratios: number[] = [];
for (const request of requests.filter(({ name }) => name.includes(only))) {
  const peers = request.peer.map((sql) => async () => (await session.run(sql)).getColumns());
  const contestants = [() => runOurs(request, scans), ...peers];
  await inTurn(contestants);
  const turns: (readonly Spent[])[] = [];
  for (let round = 0; round < Number(rounds); round++) turns.push(await inTurn(contestants));
  const medians = (pick: (spent: Spent) => number) =>
    contestants.map((_, at) => median(turns.map((turn) => pick(turn[at]!))));
  const [ours = 0, ...theirs] = medians(({ ms }) => ms);
  const [oursCpu = 0, ...theirsCpu] = medians(({ cpuMs }) => cpuMs);
  const best = theirs.indexOf(Math.min(...theirs));
  ratios.push(ours / theirs[best]!);
  rows.push({
    request: request.name,
    "ours ms": Math.round(ours),
    "peer ms": Math.round(theirs[best]!),
    ratio: (ours / theirs[best]!).toFixed(2),
    "ours CPU ms": Math.round(oursCpu),
    "ratio of CPU": (oursCpu / theirsCpu[best]!).toFixed(2),
  });
}

console.table(rows);
const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
console.log(
  `geometric mean ${mean.toFixed(2)} (bar 1.3), worst ${Math.max(...ratios).toFixed(2)} (bar 2), median of ${rounds} rounds`,
);
await database.close();
