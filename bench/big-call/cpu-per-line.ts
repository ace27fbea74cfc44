import { loadavg } from "node:os";
import { join } from "node:path";
import { median } from "../harness/compare.ts";
import { encodeContent, openParseClient } from "../harness/grpc-client.ts";
import { itemsOf, jsonLines } from "../harness/log-lines.ts";
import { freePort, makeFolder, startServer } from "../harness/processes.ts";

/**
 * Measures the CPU time of the server for each line of large calls, one after another. Arguments are the folders of
 * checkouts, which are measured in turn; without any it is this one.
 */
const checkouts = process.argv.length > 2 ? process.argv.slice(2) : ["."];
const linesOfCall = [2_200, 10_000, 100_000];
const linesOfRound = 100_000;
const rounds = 5;

const frames = linesOfCall.map((lines) => ({ lines, frame: encodeContent(itemsOf(jsonLines(lines))) }));
await using opened = new AsyncDisposableStack();
const services = [];
for (const checkout of checkouts) {
  const port = await freePort();
  const server = opened.use(
    await startServer(join(checkout, "cmd/engage.ts serve"), port, {
      ENGAGE_CONFIG: "bench/big-call/engage.yaml",
      ENGAGE_LISTEN: `127.0.0.1:${port}`,
      ENGAGE_DATA: join(makeFolder(), "data"),
    }),
  );
  services.push({ checkout, server, client: opened.use(await openParseClient(port)) });
}

const microseconds = new Map<string, number[]>();
for (let round = 0; round <= rounds; round++) {
  for (const { lines, frame } of frames) {
    for (const { checkout, server, client } of round % 2 === 0 ? services : services.toReversed()) {
      const calls = Math.ceil(linesOfRound / lines);
      const before = server.cpuSeconds();
      for (let call = 0; call < calls; call++) await client.call(frame);
      const each = ((server.cpuSeconds() - before) * 1e6) / (calls * lines);
      // The first round warms up.
      if (round > 0) microseconds.getOrInsert(`${lines} lines, ${checkout}`, []).push(each);
    }
  }
}
console.table(
  [...microseconds].map(([calls, each]) => ({
    calls,
    "median µs a line": median(each).toFixed(2),
    rounds: each.map((value) => value.toFixed(2)).join(" "),
  })),
);
console.log(`load average ${loadavg()[0]!.toFixed(1)}\n`);
