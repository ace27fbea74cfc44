import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Each benchmark by the name of its folder. */
const benchmarks: Readonly<Record<string, string>> = {
  "parse-echo": "Parse as an echo over gRPC, against grpc-js, Connect's adapter and node:http2",
  "parse-lines": "Parse of 1,000 lines, against a bare loop of JSON.parse and JSON.stringify",
  "unary-json": "unary JSON over HTTP/1.1, against fastify",
  "big-call": "latency of small calls beside calls of 100,000 lines",
  start: "time to the first ready response, and idle memory",
  webhook: "signed batches against a bare receiver, beside a slow target, and over time",
  channel: "pushes: throughput, rate limits, and the audience of a project",
  analysis: "events and queries against SQL by hand, import, ingest, downloads, neighbours",
  growth: "how the cost of each path grows with its work; writes docs/performance/",
  attacks: "an honest caller during fourteen attacks",
};

/** Runs the benchmarks given, or "all"; lists them when none is given. */
const names = process.argv.slice(2);
const unknown = names.filter((name) => name !== "all" && !(name in benchmarks));
if (names.length === 0 || unknown.length > 0) {
  for (const name of unknown) console.error(`"${name}" is not a benchmark`);
  console.log("usage: npm run bench -- NAME…\n");
  for (const [name, text] of Object.entries(benchmarks)) console.log(`  ${name.padEnd(12)} ${text}`);
  console.log("  all          all of these\n\nresults and single parts: bench/RESULTS.md");
  process.exit(unknown.length > 0 ? 2 : 0);
}
if (!existsSync(join(import.meta.dirname, "node_modules"))) {
  console.error("the peers are not installed: npm ci --prefix bench");
  process.exit(1);
}
for (const name of names.includes("all") ? Object.keys(benchmarks) : names) {
  console.log(`# ${name}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name, "run.ts")], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
