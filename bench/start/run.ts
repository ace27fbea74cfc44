import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../harness/compare.ts";
import { makeFolder } from "../harness/processes.ts";

/**
 * Measures the time from the start of the process to the first 200 of /readyz, and idle memory. The first start of each
 * form may find no compile cache; the median start finds one.
 */
const starts = 5;
/** On a busy machine it takes longer until a server finds itself idle and frees what the start has left. */
const idleMs = 3_500;
/** Set by `npm start` and by the command `engage`. */
const memory = { MALLOC_MMAP_THRESHOLD_: "1048576" };
const folder = makeFolder();

const build = spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
if (build.status !== 0) throw new Error("the build failed");

interface Form {
  readonly name: string;
  readonly args: readonly string[];
  readonly bars: { readonly ready: string; readonly idle: string };
  readonly readyMs: number[];
  readonly cpuMs: number[];
  readonly idleMiB: number[];
}

const form = (name: string, args: readonly string[], ready = "", idle = ""): Form => ({
  name,
  args,
  bars: { ready, idle },
  readyMs: [],
  cpuMs: [],
  idleMiB: [],
});

/** A bare server, as the floor of the comparison. */
const floor = `import { createServer } from "node:http";
const server = createServer((request, response) => response.end());
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ msg: "listening", url: "http://127.0.0.1:" + server.address().port })));`;

const forms = [
  form(
    "source: npm start",
    ["--v8-pool-size=1", "--require", "./cmd/compile-cache.cjs", "cmd/engage.ts", "serve"],
    "aim ≤ 550",
    "aim ≤ 150",
  ),
  form("built: engage serve", ["--v8-pool-size=1", "dist/cmd/engage.js", "serve"], "aim ≤ 350", "aim ≤ 90"),
  form("a bare node:http server", ["--input-type=module", "--eval", floor]),
];

async function startOnce({ args, readyMs, cpuMs, idleMiB }: Form): Promise<void> {
  const before = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...memory, ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_DATA: join(folder, "data") },
  });
  const url = await listeningUrl(child);
  const response = await fetch(`${url}/readyz`, { headers: { connection: "close" } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url}/readyz returned ${response.status}`);
  readyMs.push(performance.now() - before);
  cpuMs.push(cpuMsOf(child));
  await sleep(idleMs);
  idleMiB.push(residentMiBOf(child));
  child.kill("SIGTERM");
  await once(child, "exit");
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the output is not piped");
  for await (const line of createInterface(child.stdout)) {
    const { msg, url } = JSON.parse(line) as { msg: string; url: string };
    if (msg === "listening") {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error("the server ended before it listened");
}

function residentMiBOf({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Returns user and system time of all threads; /proc counts them in ticks of 10 ms. */
function cpuMsOf({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

for (let start = 0; start < starts; start++) for (const each of forms) await startOnce(each);

console.table(
  forms.map(({ name, bars, readyMs, cpuMs, idleMiB }) => ({
    form: name,
    "ready ms, median": Math.round(median(readyMs)),
    "ready ms, best": Math.round(Math.min(...readyMs)),
    "bar ms": bars.ready,
    "CPU ms": median(cpuMs),
    "idle MiB": Math.round(median(idleMiB)),
    "bar MiB": bars.idle,
  })),
);
