import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
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
import type { Asking } from "./ask.ts";
import { storeOptions } from "./data.ts";
import { dataArguments, openData } from "./generated.ts";
import { startService } from "./service.ts";

/**
 * Measures webhooks and Parse calls at a steady rate, alone and while six heavy queries run repeatedly. The longest
 * turn is the processor time of the longest piece of work on the server's main thread meanwhile.
 */
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
const longest = join(makeFolder(), "longest-turn");
using generator = openGenerator();
const asker = fork(join(import.meta.dirname, "ask.ts"));

/** Starts a server on a folder of its own that links to the generated events, which other parts reuse. */
async function start(niceness: number): Promise<Server> {
  const data = join(makeFolder(), "data");
  mkdirSync(data);
  symlinkSync(resolve(folder, "events"), join(data, "events"));
  const { memoryLimitBytes: memoryBytes, maxTempBytes, threads } = storeOptions(data);
  const settings = {
    events: { engine: { memoryBytes, maxTempBytes, threads, niceness } },
    parser: { separator: ":ta:" },
    webhook: {
      channels: { demo: { secrets: [{ value: secret }], targets: ["queue"] } },
      targets: { queue: { kind: "pull" } },
    },
  };
  const preload = join(import.meta.dirname, "../attacks/longest-turn.ts");
  const environment = { LONGEST_TURN: longest, NODE_OPTIONS: `--import ${preload}` };
  return await startService(7344, data, settings, ".", environment);
}

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

/** Runs at least one query at a time in the other process until the function that this returns stops it. */
function startAsking(asking: Asking): () => Promise<number> {
  asker.send(asking);
  return async () => {
    const answered = once(asker, "message");
    asker.send("stop");
    return (await answered)[0] as number;
  };
}

const rowOf = (name: string, before: readonly number[], with_: readonly number[]) => ({
  call: name,
  "p50 ms alone": quantile(before, 0.5).toFixed(1),
  "p99 ms alone": quantile(before, 0.99).toFixed(1),
  "p50 ms with queries": quantile(with_, 0.5).toFixed(1),
  "p99 ms with queries": quantile(with_, 0.99).toFixed(1),
});

async function run(niceness: number): Promise<void> {
  await using server = await start(niceness);
  // The first query opens the event store.
  await startAsking({ port: server.port, queries: 1 })();
  await measure(server);
  const alone = await measure(server);
  process.kill(server.pid, "SIGUSR2");
  const stop = startAsking({ port: server.port, queries });
  const beside = await measure(server);
  const answered = await stop();
  console.log(`engine with niceness ${niceness}: ${queries} queries at once of ${values.events} events`);
  console.log(`in ${seconds} s, ${answered} finished`);
  console.table([
    rowOf(`webhook, 100 messages, ${rates.batches}/s`, alone.webhook, beside.webhook),
    rowOf(`Parse, ${lines} lines, ${rates.parses}/s`, alone.parse, beside.parse),
  ]);
  console.log(`main thread: alone it ${alone.thread}, with queries it ${beside.thread}`);
}

for (const niceness of values.niceness.split(",").map(Number)) {
  await run(niceness);
  console.log(`longest turn with queries: ${Math.round(Number(readFileSync(longest, "utf8")))} ms`);
  console.log(`load average ${loadavg()[0]!.toFixed(1)}\n`);
}
asker.disconnect();
