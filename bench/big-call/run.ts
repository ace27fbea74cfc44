import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, quantile } from "../harness/compare.ts";
import { encodeContent, openParseClient } from "../harness/grpc-client.ts";
import { itemsOf, jsonLines } from "../harness/log-lines.ts";
import { runTool, startServer } from "../harness/processes.ts";

/** Small calls of a second client process, alone and while calls of 100,000 lines are parsed without a pause. */
const lines = 100_000;
const rounds = 3;
const secondsPerPhase = 5;
const port = 7331;

await using server = await startServer("cmd/engage.ts serve", port, {
  ENGAGE_CONFIG: "bench/big-call/engage.yaml",
  ENGAGE_LISTEN: `127.0.0.1:${port}`,
  ENGAGE_DATA: join(mkdtempSync(join(tmpdir(), "engage-bench-")), "data"),
});
using client = await openParseClient(port);
const frame = encodeContent(itemsOf(jsonLines(lines)));
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const smallCalls = async (): Promise<number[]> =>
  JSON.parse(
    await runTool(process.execPath, ["bench/big-call/small-calls.ts", String(port), String(secondsPerPhase)]),
  ) as number[];

let answer = await client.call(frame);
const bigMs: number[] = [];

async function callUntil(done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    const before = performance.now();
    answer = await client.call(frame);
    bigMs.push(performance.now() - before);
  }
}

const alone: number[] = [];
const beside: number[] = [];
for (let round = 0; round < rounds; round++) {
  alone.push(...(await smallCalls()));
  const stop = new AbortController();
  const big = callUntil(stop.signal);
  beside.push(...(await smallCalls()));
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
  `big calls: ${bigMs.length} of ${megabytes(frame.length)} (answers ${megabytes(answer.length)}), median ${Math.round(median(bigMs))} ms`,
);
console.log(`memory of the server: ${Math.round(server.residentMiB())} MiB\n`);
