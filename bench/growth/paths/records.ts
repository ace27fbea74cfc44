import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { projectId } from "../../analysis/data.ts";
import { sdkRecord } from "../../analysis/sdk-record.ts";
import { allQueryable, startService } from "../../analysis/service.ts";
import { createExchange, httpRequest, runFlatOut, withSockets } from "../../harness/connections.ts";
import { freePort, makeFolder, type Server } from "../../harness/processes.ts";
import { type GrowthPath, refusalIn, repeatedly, textOf } from "../measure.ts";

/** A project may have this many properties here; the server's own limit depends on its memory. */
const maxProperties = 500;
const recordsOfBatch = 100;
/** The first record beyond the limit of a body. */
const tooManyRecords = 50_001;
/** Waiting for the loader asks the server this often, so that asking is no part of its work. */
const pollMs = 100;
/** A load has a cost of its own, so that a measurement takes long enough for a batch of the loader. */
const leastCpuMs = 1_000;
/**
 * After about 500,000 records the engine moves its log into its file, which takes as long as loading 150,000. It comes
 * with batches of any size, so it should be in few measurements of the same size.
 */
const leastBatchesMs = 400;

const timeNow = (): string => new Date().toISOString().replace("T", " ").slice(0, -1);

async function start(): Promise<Server> {
  return await startService(await freePort(), join(makeFolder(), "data"), {
    events: {
      engine: { memoryBytes: 4 * 1024 ** 3, threads: 2 },
      maxProperties,
      maxNewNamesPerMinute: 10_000,
    },
  });
}

const isAccepted = createExchange((response) => response.endsWith('{"code":0}'));

function requestOf(records: readonly object[]): Buffer {
  return httpRequest("/sync_server", ["appid: bench", "compress: gzip"], gzipSync(JSON.stringify(records)));
}

/** Returns a measurement of requests that are sent one after another, until their records can be queried. */
function measureRequests(server: Server, next: () => Buffer, leastMs = leastCpuMs) {
  return repeatedly(
    server,
    (times) => {
      const requests = Array.from({ length: times }, next);
      return () =>
        withSockets({ port: server.port, connections: 1 }, async (sockets) => {
          await runFlatOut(requests, sockets, isAccepted);
        });
    },
    { settle: () => allQueryable(server, pollMs), leastMs },
  );
}

let count = 0;

function nextRecords(records: number): readonly object[] {
  const time = timeNow();
  return Array.from({ length: records }, () => sdkRecord(++count, { user: count % 50_000, time }));
}

const batches: GrowthPath = {
  name: "record-batches",
  sizes: [1, 10, 100, 1_000, 10_000],
  async open(sizes) {
    const server = await start();
    const response = await fetch(`http://127.0.0.1:${server.port}/sync_server`, {
      method: "POST",
      headers: { appid: "bench", "content-type": "application/json" },
      body: JSON.stringify(Array.from({ length: tooManyRecords }, () => ({}))),
    });
    return {
      points: sizes.map((work) => ({
        work,
        measure: measureRequests(server, () => requestOf(nextRecords(work)), leastBatchesMs),
      })),
      refusal: await refusalIn(response),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
};

/** Returns a record with this many numbers. */
function wideRecord(properties: number): object {
  const n = ++count;
  const entries = Array.from({ length: properties }, (_, at) => [`p${at}`, (n * (at + 7)) % 1_000]);
  return {
    "#type": "track",
    "#event_name": "wide",
    "#time": timeNow(),
    "#account_id": `user-${n % 50_000}`,
    properties: Object.fromEntries(entries),
  };
}

/** Returns the verdict of a record with one property more than a project may have. */
async function refusalOf({ port }: Server): Promise<string> {
  const jsonLines = Buffer.from(JSON.stringify(wideRecord(maxProperties + 1))).toString("base64");
  const response = await fetch(`http://127.0.0.1:${port}/v1/events:track`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ projectId, jsonLines, dryRun: true }),
  });
  return await textOf(response);
}

const properties: GrowthPath = {
  name: "record-properties",
  sizes: [5, 50, maxProperties],
  async open(sizes) {
    await using opened = new AsyncDisposableStack();
    const points = [];
    let last: Server | undefined;
    for (const work of sizes) {
      const server = opened.use(await start());
      last = server;
      const next = () => requestOf(Array.from({ length: recordsOfBatch }, () => wideRecord(work)));
      points.push({ work, measure: measureRequests(server, next) });
    }
    const refusal = await refusalOf(last!);
    const stack = opened.move();
    return { points, refusal, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  },
};

export const recordPaths: readonly GrowthPath[] = [batches, properties];
