import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { sdkRecord } from "../../analysis/sdk-record.ts";
import { allQueryable } from "../../analysis/service.ts";
import { createExchange, httpRequest, runFlatOut, withSockets } from "../../harness/connections.ts";
import { makeFolder, type Server } from "../../harness/processes.ts";
import type { Cost, GrowthPath } from "../measure.ts";
import { events, serveData } from "../project.ts";
import { ask, generatedData } from "./queries.ts";

/** Waiting asks the server this often, so that asking is no part of its work. */
const pollMs = 100;

/** Starts a server on a data folder, and measures until it is ready and `until` resolves. */
async function startOnce(data: string, until: (server: Server) => Promise<void>): Promise<Cost> {
  const startMs = performance.now();
  await using server = await serveData(data);
  while ((await fetch(`http://127.0.0.1:${server.port}/readyz`)).status !== 200) await sleep(pollMs);
  await until(server);
  return { cpuMs: server.cpuSeconds() * 1_000, clockMs: performance.now() - startMs };
}

/** Asks for a day without events, since the store is opened for the first query. */
async function askForNone(server: Server): Promise<void> {
  const eventView = { startTime: "2020-01-01", endTime: "2020-01-01", timeParticleSize: "day" };
  const events = [{ type: "normal", eventName: "anyEvent", analysis: "TOTAL_TIMES" }];
  await ask(server, { eventView, events });
}

const byData: GrowthPath = {
  name: "start-events",
  sizes: [10_000, 100_000, 1_000_000, 10_000_000],
  isCold: true,
  async open(sizes) {
    const points = [];
    for (const work of sizes) {
      const data = await generatedData(work);
      points.push({ work, measure: () => startOnce(data, askForNone) });
    }
    return { points, async [Symbol.asyncDispose]() {} };
  },
};

const recordsOfBatch = 1_000;
const isAccepted = createExchange((response) => response.endsWith('{"code":0}'));

/** Returns the data folder of a server that ended before it had loaded any of these records. */
async function acceptedData(records: number): Promise<string> {
  const data = join(makeFolder(), "data");
  const never = { maxRecords: 1_000_000, maxBytes: 268_435_456, maxDelayMs: 2_147_483_647 };
  const server = await serveData(data, { events: { ...events, batch: never } });
  const time = new Date().toISOString().replace("T", " ").slice(0, -1);
  const requests = Array.from({ length: records / recordsOfBatch }, (_, batch) => {
    const own = Array.from({ length: recordsOfBatch }, (_, at) =>
      sdkRecord(batch * recordsOfBatch + at, { user: at, time }),
    );
    return httpRequest("/sync_server", ["appid: bench", "compress: gzip"], gzipSync(JSON.stringify(own)));
  });
  await withSockets({ port: server.port, connections: 4 }, (sockets) =>
    runFlatOut(requests, sockets, isAccepted),
  );
  process.kill(server.pid, "SIGKILL");
  return data;
}

/** Starts a server and measures until it has loaded what waits. */
const load = (data: string): Promise<Cost> => startOnce(data, (server) => allQueryable(server, pollMs));

/** A second start on the same folder, when nothing waits any more, is subtracted. */
const waiting: GrowthPath = {
  name: "load-waiting",
  sizes: [10_000, 100_000, 500_000],
  rounds: 3,
  isCold: true,
  async open(sizes) {
    const points = [];
    for (const work of sizes) {
      const accepted = await acceptedData(work);
      const measure = async (): Promise<Cost> => {
        const data = join(makeFolder(), "data");
        cpSync(accepted, data, { recursive: true });
        const loading = await load(data);
        const start = await load(data);
        return { cpuMs: loading.cpuMs - start.cpuMs, clockMs: loading.clockMs - start.clockMs };
      };
      points.push({ work, measure });
    }
    return { points, async [Symbol.asyncDispose]() {} };
  },
};

export const startPaths: readonly GrowthPath[] = [byData, waiting];
