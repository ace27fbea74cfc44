import { spawn } from "node:child_process";
import { createReadStream, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Database } from "../../store/events/duckdb/database.ts";
import { makeFolder } from "../harness/processes.ts";
import { projectId, storeOptions } from "./data.ts";
import { writeRecords } from "./import-file.ts";

/** Measures `engage import` of one large file into an empty data folder, in a process of its own. */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "2000000" },
    /** Gives each record a `#uuid`, which the import must check. */
    uuids: { type: "boolean", default: false },
    /** Further node flags for the command, such as --cpu-prof. */
    node: { type: "string", multiple: true, default: [] },
  },
});
const count = Number(values.records);
const bars = { recordsPerSecond: 100_000, mib: 1_536 };
/** Bytes of a record in the file, the spool and the store together. */
const bytesOnDisk = 600;

const folder = makeFolder();
const { bavail, bsize } = statfsSync(folder);
if (bavail * bsize < count * bytesOnDisk)
  throw new Error(`${count} records do not fit on the disk of ${folder}`);
const file = join(folder, "records.ndjson");
const bytes = writeRecords(file, count, Date.now(), values.uuids);
const data = join(folder, "data");
const project = { id: projectId, name: "bench", appids: ["bench"], zone: "+00:00" };
writeFileSync(join(folder, "engage.yaml"), JSON.stringify({ data, projects: [project] }));

/** Reads the lines and parses them, which any import must do. */
async function runFloor(): Promise<Pick<Run, "seconds" | "cpuSeconds">> {
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  let parsed = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (JSON.parse(line) !== null) parsed++;
  }
  if (parsed !== count) throw new Error(`the file has ${parsed} records, not ${count}`);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startMs) / 1_000, cpuSeconds: (user + system) / 1e6 };
}

interface Usage {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  /** The busiest thread: with a core for each thread, the import takes at least its time. */
  readonly busiest: { readonly name: string; readonly cpuSeconds: number };
}

type Run = Usage & { readonly seconds: number };

async function runImport(): Promise<Run> {
  const startMs = performance.now();
  const args = [...values.node, "cmd/engage.ts", "import", file, "--config", join(folder, "engage.yaml")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "pipe"] });
  let summary = "";
  child.stderr.on("data", (chunk) => {
    summary += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  let usage: Usage | undefined;
  while (child.exitCode === null && child.signalCode === null) {
    usage = latest(usage, usageOf(child.pid!));
    await Promise.race([exited, sleep(50)]);
  }
  if ((await exited) !== 0) throw new Error(`the import failed: ${summary}`);
  const stored = Number(/^([\d,]+) records stored/m.exec(summary)?.[1]?.replaceAll(",", ""));
  if (stored !== count) throw new Error(`not all were stored: ${summary}`);
  return { ...usage!, seconds: (performance.now() - startMs) / 1_000 };
}

/** Keeps the last usage of a thread that has ended, since threads end before their process. */
function latest(before: Usage | undefined, now: Usage | undefined): Usage | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  const isLess = now.busiest.cpuSeconds < before.busiest.cpuSeconds;
  return isLess ? { ...now, busiest: before.busiest } : now;
}

/** Returns the usage so far; undefined when the process has ended. */
function usageOf(pid: number): Usage | undefined {
  try {
    const peakKiB = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => timesOf(`/proc/${pid}/task/${id}/stat`));
    const busiest = threads.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)[0];
    if (peakKiB === undefined || busiest === undefined || busiest.cpuSeconds === 0) return undefined;
    const { cpuSeconds } = timesOf(`/proc/${pid}/stat`);
    return { peakMiB: Number(peakKiB) / 1_024, cpuSeconds, busiest };
  } catch {
    return undefined;
  }
}

/** Reads a stat file: the name is in parentheses, times are in ticks of 10 ms. */
function timesOf(file: string): Usage["busiest"] {
  const stat = readFileSync(file, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
  };
}

async function storedEvents(): Promise<number> {
  const database = await Database.open(storeOptions(data));
  const days = database.tables.projects.get(projectId)?.days.values() ?? [];
  const events = Array.from(days, (day) => day.events).reduce((sum, events) => sum + events, 0);
  await database.close();
  return events;
}

const floor = await runFloor();
const { seconds, cpuSeconds, peakMiB, busiest } = await runImport();
const stored = await storedEvents();
if (stored !== count) throw new Error(`${stored} events are in the store, not ${count}`);

console.log(
  `${count} records of ${Math.round(bytes / count)} bytes${values.uuids ? " with #uuid" : ""}, one file of NDJSON`,
);
console.table([
  {
    contestant: "a bare loop that reads and parses lines",
    "records/s": Math.round(count / floor.seconds),
    "records/CPU s": Math.round(count / floor.cpuSeconds),
    bar: "",
  },
  {
    contestant: "engage import, from the start of the process to its end",
    "records/s": Math.round(count / seconds),
    "records/CPU s": Math.round(count / cpuSeconds),
    "records/CPU s of the busiest thread": `${Math.round(count / busiest.cpuSeconds)} (${busiest.name})`,
    "peak MiB": Math.round(peakMiB),
    bar: `aim ≥ ${bars.recordsPerSecond}, ≤ ${bars.mib} MiB`,
  },
]);
console.log(
  `load average ${loadavg()
    .map((one) => one.toFixed(1))
    .join(", ")}\n`,
);
