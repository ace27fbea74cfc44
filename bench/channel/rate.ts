import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openSqliteChannels } from "../../store/channels/sqlite/open.ts";
import { mostInSecond } from "../../test/base/async/most-within.ts";
import { startServer } from "../harness/processes.ts";
import { manyUsers, openDelivery, startPush } from "./world.ts";

const run = promisify(execFile);
const port = 18_471;
const url = `http://127.0.0.1:${port}/hook`;

/** Measures the requests that arrive from a channel with a limit, in batches of one. */
export async function measureRates(limits: readonly number[], seconds: number): Promise<void> {
  await using _receiver = await startServer(join(import.meta.dirname, "receiver.ts"), port);
  const bare = await measureBare(seconds);
  const rows: object[] = [];
  for (const limit of limits) rows.push(await measureRate(limit, seconds, bare));
  console.log(`a bare client without a limit: ${Math.round(bare)} requests/s with batches of one`);
  console.table(rows);
}

/** Returns the requests a second of a pool of undici that only sends prepared bodies. */
async function measureBare(seconds: number): Promise<number> {
  const floor = join(import.meta.dirname, "floor.ts");
  const { stdout } = await run(process.execPath, [floor, url, "1000000", "1", String(seconds)]);
  const { requests, seconds: took } = JSON.parse(stdout);
  await (await fetch(url)).arrayBuffer();
  return requests / took;
}

async function measureRate(limit: number, seconds: number, bare: number): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), "bench-channel-"));
  const store = await openSqliteChannels({ path: join(folder, "channels.db") });
  await startPush(store, url, limit, 1);
  const sends: number[] = [];
  const delivery = openDelivery(store, manyUsers(Math.ceil(limit * seconds * 1.2)), sends);
  delivery.start();
  await sleep(seconds * 1_000);
  await delivery.stop(1_000);
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  const times = (await (await fetch(url)).json()) as number[];
  const took = (times.at(-1)! - times[0]!) / 1_000;
  return {
    limit,
    requests: times.length,
    "most sent in a second": mostInSecond(sends),
    "most arrived": mostInSecond(times),
    "requests/s": ((times.length - 1) / took).toFixed(1),
    "of the limit": ((times.length - 1) / took / limit).toFixed(3),
    "of the reachable rate": ((times.length - 1) / took / Math.min(limit, bare)).toFixed(3),
  };
}
