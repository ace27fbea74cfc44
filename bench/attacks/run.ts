import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { quantile } from "../harness/compare.ts";
import { freePort, makeFolder, runTool, startServer } from "../harness/processes.ts";
import { attacks } from "./attacks.ts";
import { config } from "./settings.ts";

/**
 * Measures an honest caller alone and during each attack. The bars are a p99 of at most four times the p99 alone, and
 * less than 1 GiB of memory for the server.
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

async function measure(name: string): Promise<Record<string, string | number>> {
  const folder = makeFolder();
  const file = join(folder, "engage.json");
  writeFileSync(file, JSON.stringify({ ...config, listen: `127.0.0.1:${port}`, data: join(folder, "data") }));
  await using server = await startServer(`cmd/engage.ts serve --config ${file}`, port);
  await honest();
  const alone = await honest();
  let peak = server.residentMiB();
  const timer = setInterval(() => {
    peak = Math.max(peak, server.residentMiB());
  }, 20);
  const script = join(import.meta.dirname, "attack.ts");
  const attack = runTool(process.execPath, [script, name, String(port), String(seconds + 2)]);
  const during = await honest();
  await attack;
  clearInterval(timer);
  const kinds = Object.keys(alone.latencies).map((kind): [string, string] => {
    const [before, beside] = [p99(alone, kind), p99(during, kind)];
    return [
      `${kind} p99 ms`,
      `${before.toFixed(0)} → ${beside.toFixed(0)} (${(beside / before).toFixed(1)} ×)`,
    ];
  });
  return { attack: name, ...Object.fromEntries(kinds), failed: during.failed, "peak MiB": Math.round(peak) };
}

const rows: Record<string, string | number>[] = [];
for (const name of Object.keys(attacks).filter((one) => one.includes(values.only))) {
  rows.push(await measure(name));
  console.error(rows.at(-1));
}
console.table(rows);
console.log(`load average ${loadavg()[0]!.toFixed(1)}`);
