import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { quantile } from "../harness/compare.ts";
import { freePort, makeFolder, runTool, startServer } from "../harness/processes.ts";
import { attacks, control } from "./attacks.ts";
import { config } from "./settings.ts";

/**
 * Measures an honest caller alone, beside a process that only computes, and during each attack, with the same server.
 * The bars are a p99 of at most four times the p99 alone, and less than 1 GiB of memory for the server. The longest
 * turn is the processor time of the longest piece of work on the server's main thread during the attack.
 */
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, only: { type: "string", default: "" } },
});
const seconds = Number(values.seconds);
const port = await freePort();

interface Honest {
  readonly latencies: Readonly<Record<string, readonly number[]>>;
  readonly failed: number;
}

async function honest(): Promise<Honest> {
  const script = join(import.meta.dirname, "honest.ts");
  return JSON.parse(await runTool(process.execPath, [script, String(port), String(seconds)])) as Honest;
}

const p99 = ({ latencies }: Honest, kind: string): number => quantile(latencies[kind] ?? [], 0.99);

interface Measured {
  readonly alone: Honest;
  readonly beside: Honest;
  readonly during: Honest;
  readonly peak: number;
}

async function runDuring(name: string): Promise<Honest> {
  const script = join(import.meta.dirname, "attack.ts");
  const attack = runTool(process.execPath, [script, name, String(port), String(seconds + 2)]);
  const during = await honest();
  await attack;
  return during;
}

async function run(name: string, folder: string, longest: string): Promise<Measured> {
  const file = join(folder, "engage.json");
  writeFileSync(file, JSON.stringify({ ...config, listen: `127.0.0.1:${port}`, data: join(folder, "data") }));
  const preload = join(import.meta.dirname, "longest-turn.ts");
  const environment = { LONGEST_TURN: longest, NODE_OPTIONS: `--import ${preload}` };
  await using server = await startServer(`cmd/engage.ts serve --config ${file}`, port, environment);
  await honest();
  // The server frees what its start has left in the first idle second, which takes longer than a call.
  await sleep(2_500);
  const alone = await honest();
  const beside = await runDuring(control);
  process.kill(server.pid, "SIGUSR2");
  let peak = server.residentMiB();
  const timer = setInterval(() => {
    peak = Math.max(peak, server.residentMiB());
  }, 20);
  const during = await runDuring(name);
  clearInterval(timer);
  return { alone, beside, during, peak };
}

async function measure(name: string): Promise<Record<string, string | number>> {
  const folder = makeFolder();
  const longest = join(folder, "longest-turn");
  const { alone, beside, during, peak } = await run(name, folder, longest);
  const kinds = Object.keys(alone.latencies).map((kind): [string, string] => {
    const [first, second, third] = [alone, beside, during].map((one) => p99(one, kind)) as [
      number,
      number,
      number,
    ];
    const times = [first, second].map((one) => (third / one).toFixed(1)).join(", ");
    return [`${kind} p99 ms`, `${[first, second, third].map(Math.round).join(" → ")} (${times} ×)`];
  });
  return {
    attack: name,
    ...Object.fromEntries(kinds),
    failed: during.failed,
    "peak MiB": Math.round(peak),
    "longest turn ms": Math.round(Number(readFileSync(longest, "utf8"))),
  };
}

const rows: Record<string, string | number>[] = [];
for (const name of Object.keys(attacks).filter((one) => one !== control && one.includes(values.only))) {
  rows.push(await measure(name));
  console.error(rows.at(-1));
}
console.table(rows);
console.log(`load average ${loadavg()[0]!.toFixed(1)}`);
