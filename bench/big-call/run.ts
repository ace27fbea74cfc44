import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, quantile } from "../harness/compare.ts";
import { encodeContent, openParseClient } from "../harness/grpc-client.ts";
import { itemsOf, jsonLines } from "../harness/log-lines.ts";
import { makeFolder, runTool, startServer } from "../harness/processes.ts";

/** Measures small calls of a second client process, alone and while calls of 100,000 lines are parsed without pause. */
const lines = 100_000;
const rounds = 3;
const secondsPerPhase = 5;
const port = 7331;
const folder = makeFolder();

await using server = await startServer("cmd/engage.ts serve", port, {
  ENGAGE_CONFIG: "bench/big-call/engage.yaml",
  ENGAGE_LISTEN: `127.0.0.1:${port}`,
  ENGAGE_DATA: join(folder, "data"),
});
const frame = encodeContent(itemsOf(jsonLines(lines)));
const frameFile = join(folder, "big.bin");
writeFileSync(frameFile, frame);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const smallCalls = async (): Promise<number[]> =>
  JSON.parse(
    await runTool(process.execPath, ["bench/big-call/small-calls.ts", String(port), String(secondsPerPhase)]),
  ) as number[];

async function responseBytes(): Promise<number> {
  using client = await openParseClient(port);
  return (await client.call(frame)).length;
}

const bytes = await responseBytes();
const bigMs: number[] = [];

/** Calls with the load generator in C, which takes little CPU time from the server. */
async function callUntil(done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    const output = await runTool("h2load", [
      "-n",
      "1",
      "-c",
      "1",
      "-d",
      frameFile,
      "-H",
      "content-type: application/grpc+proto",
      "-H",
      "te: trailers",
      `http://127.0.0.1:${port}/proto.Parser/Parse`,
    ]);
    if (!output.includes("1 succeeded, 0 failed")) throw new Error(output);
    bigMs.push(1_000 / Number(/([\d.]+) req\/s/.exec(output)?.[1]));
  }
}

const alone: number[] = [];
const waits: { ran: number; waited: number }[] = [];
const beside: number[] = [];
for (let round = 0; round < rounds; round++) {
  alone.push(...(await smallCalls()));
  const stop = new AbortController();
  const big = callUntil(stop.signal);
  const before = server.mainThread();
  beside.push(...(await smallCalls()));
  const after = server.mainThread();
  waits.push({ ran: after.ran - before.ran, waited: after.waited - before.waited });
  stop.abort();
  await big;
}

const row = (name: string, latencies: readonly number[], bar: string) => ({
  "small calls": name,
  calls: latencies.length,
  "p50 ms": quantile(latencies, 0.5).toFixed(2),
  "p99 ms": quantile(latencies, 0.99).toFixed(2),
  "max ms": Math.max(...latencies).toFixed(2),
  "bar for p99": bar,
});
console.table([row("alone", alone, ""), row(`beside calls of ${lines} lines`, beside, "≤ 50 ms")]);
console.log(
  `big calls: ${bigMs.length} of ${megabytes(frame.length)} (responses ${megabytes(bytes)}), median ${Math.round(median(bigMs))} ms`,
);
const sum = (pick: (wait: { ran: number; waited: number }) => number): string =>
  waits.reduce((total, wait) => total + pick(wait), 0).toFixed(1);
console.log(
  `main thread of the server beside them: ran ${sum(({ ran }) => ran)} s, waited ${sum(({ waited }) => waited)} s for a free core (near 0 on an idle machine; otherwise the scheduler makes the latencies)`,
);
console.log(`memory of the server: ${Math.round(server.residentMiB())} MiB\n`);
