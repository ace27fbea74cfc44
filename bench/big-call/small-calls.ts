import { setTimeout as sleep } from "node:timers/promises";
import { encodeContent, openParseClient } from "../harness/grpc-client.ts";
import { itemsOf, jsonLines } from "../harness/log-lines.ts";

/** The second client: a call of one line every 5 ms for some seconds, then prints how long each took, in ms. */
const everyMs = 5;
const [, , port, seconds] = process.argv;
using client = await openParseClient(Number(port));
const frame = encodeContent(itemsOf(jsonLines(1)));
const latencies: number[] = [];
const calls: Promise<void>[] = [];

async function call(): Promise<void> {
  const before = performance.now();
  await client.call(frame);
  latencies.push(performance.now() - before);
}

for (let warm = 0; warm < 20; warm++) await client.call(frame);
const end = performance.now() + Number(seconds) * 1_000;
while (performance.now() < end) {
  // Not awaited: calls start at fixed times, independent of late responses.
  calls.push(call());
  await sleep(everyMs);
}
await Promise.all(calls);
console.log(JSON.stringify(latencies));
