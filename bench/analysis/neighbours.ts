import { mkdirSync, symlinkSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { quantile } from "../harness/compare.ts";
import { encodeContent, openParseClient } from "../harness/grpc-client.ts";
import { jsonLines } from "../harness/log-lines.ts";
import { makeFolder, type Server } from "../harness/processes.ts";
import { openGenerator } from "../webhook/generator.ts";
import { secret } from "../webhook/secret.ts";
import { days, firstDayMs, storeOptions } from "./data.ts";
import { dataArguments, openData } from "./generated.ts";
import { query, startService } from "./service.ts";

/** Measures webhooks and Parse calls at a steady rate, alone and while six heavy queries run repeatedly. */
const { values } = parseArgs({
  options: {
    ...dataArguments,
    seconds: { type: "string", default: "20" },
    niceness: { type: "string", default: "0,10" },
  },
});
const seconds = Number(values.seconds);
const queries = 6;
/** Calls a second. */
const rates = { batches: 20, parses: 50 };
const lines = 100;

const folder = await openData(values);
using generator = openGenerator();

/** Starts a server on a folder of its own that links to the generated events, which other parts reuse. */
async function start(niceness: number): Promise<Server> {
  const data = join(makeFolder(), "data");
  mkdirSync(data);
  symlinkSync(resolve(folder, "events"), join(data, "events"));
  const { memoryLimitBytes: memoryBytes, maxTempBytes, threads } = storeOptions(data);
  return await startService(7344, data, {
    events: { engine: { memoryBytes, maxTempBytes, threads, niceness } },
    parser: { separator: ":ta:" },
    webhook: {
      channels: { demo: { secrets: [{ value: secret }], targets: ["queue"] } },
      targets: { queue: { kind: "pull" } },
    },
  });
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const heavy = {
  eventView: {
    startTime: dayOf(firstDayMs),
    endTime: dayOf(firstDayMs + (days - 1) * 86_400_000),
    timeParticleSize: "day",
    groupBy: [{ columnName: "server", tableType: "event" }],
  },
  events: [
    { type: "normal", eventName: "anyEvent", analysis: "TRIG_USER_NUM" },
    { type: "normal", eventName: "view", analysis: "PERCENTILE", analysisParams: "95", quota: "duration" },
  ],
};

/** Starts Parse calls at fixed times, without waiting for earlier responses. */
async function parse({ port }: Server): Promise<readonly number[]> {
  using client = await openParseClient(port);
  const frame = encodeContent(
    jsonLines(lines)
      .map((line) => `game.log|ta|${line}`)
      .join(":ta:"),
  );
  const startMs = performance.now();
  const calls: Promise<number>[] = [];
  for (let n = 0; n < seconds * rates.parses; n++) {
    const dueMs = startMs + (n * 1_000) / rates.parses;
    await sleep(Math.max(0, dueMs - performance.now()));
    calls.push(client.call(frame).then(() => performance.now() - dueMs));
  }
  return await Promise.all(calls);
}

interface Measured {
  readonly webhook: readonly number[];
  readonly parse: readonly number[];
  /** A description of the work of the service's main thread. */
  readonly thread: string;
}

async function measure(server: Server): Promise<Measured> {
  const before = server.mainThread();
  const turn = { port: server.port, path: "/webhook/demo", connections: 16, elements: 100 };
  const [{ latenciesMs }, parses] = await Promise.all([
    generator.run({ ...turn, batches: seconds * rates.batches, perSecond: rates.batches }),
    parse(server),
  ]);
  const after = server.mainThread();
  const [ran, waited] = [after.ran - before.ran, after.waited - before.waited];
  const thread = `ran ${ran.toFixed(1)} s and waited ${waited.toFixed(1)} s for a core`;
  return { webhook: latenciesMs, parse: parses, thread };
}

/** Runs queries until it is stopped; resolves to the number that finished. */
async function keepAsking(server: Server, stop: AbortSignal): Promise<number> {
  for (let answered = 0; ; answered++) {
    if (stop.aborted) return answered;
    const answer = await (await query(server, "/open/event-analyze", heavy)).json();
    if ((answer as { return_code: number }).return_code !== 0) throw new Error(JSON.stringify(answer));
  }
}

const rowOf = (name: string, before: readonly number[], with_: readonly number[]) => ({
  call: name,
  "p50 ms alone": quantile(before, 0.5).toFixed(1),
  "p99 ms alone": quantile(before, 0.99).toFixed(1),
  "p50 ms with queries": quantile(with_, 0.5).toFixed(1),
  "p99 ms with queries": quantile(with_, 0.99).toFixed(1),
});
for (const niceness of values.niceness.split(",").map(Number)) {
  await using server = await start(niceness);
  await measure(server);
  const alone = await measure(server);
  const stop = new AbortController();
  const asking = Array.from({ length: queries }, () => keepAsking(server, stop.signal));
  const beside = await measure(server);
  stop.abort();
  const answered = (await Promise.all(asking)).reduce((sum, count) => sum + count, 0);
  console.log(`engine with niceness ${niceness}: ${queries} queries at once of ${values.events} events`);
  console.log(`in ${seconds} s, ${answered} finished`);
  console.table([
    rowOf(`webhook, 100 messages, ${rates.batches}/s`, alone.webhook, beside.webhook),
    rowOf(`Parse, ${lines} lines, ${rates.parses}/s`, alone.parse, beside.parse),
  ]);
  console.log(`main thread: alone it ${alone.thread}, with queries it ${beside.thread}`);
  console.log(`load average ${loadavg()[0]!.toFixed(1)}\n`);
}
