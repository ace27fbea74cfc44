import { execFile } from "node:child_process";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { dayMs, projectId } from "../analysis/data.ts";
import { startService } from "../analysis/service.ts";
import { freePort, makeFolder, type Server } from "../harness/processes.ts";
import type { Cost } from "./measure.ts";

const run = promisify(execFile);
const engage = join(import.meta.dirname, "../../cmd/engage.ts");
/** Enough for projects of 1,000 properties; servers and imports have the same. */
export const events = { engine: { memoryBytes: 4 * 1024 ** 3, threads: 2 } };

/** Writes lines to a file in a folder of its own, some thousands at a time. */
export function writeLines(count: number, lineAt: (at: number) => string): string {
  const file = join(makeFolder(), "lines.ndjson");
  const output = openSync(file, "w");
  for (let at = 0; at < count; ) {
    let piece = "";
    for (; at < count && piece.length < 1_048_576; at++) piece += `${lineAt(at)}\n`;
    writeSync(output, piece);
  }
  closeSync(output);
  return file;
}

/** Imports files into a new data folder, in a process of its own. */
export async function importFiles(files: readonly string[]): Promise<Cost & { readonly data: string }> {
  const folder = makeFolder();
  const data = join(folder, "data");
  const config = join(folder, "engage.json");
  const project = { id: projectId, name: "bench", appids: ["bench"], zone: "+00:00" };
  writeFileSync(config, JSON.stringify({ data, projects: [project], events }));
  const startMs = performance.now();
  const report = join(import.meta.dirname, "report-cpu.ts");
  const args = ["--v8-pool-size=1", "--import", report, engage, "import", ...files, "--config", config];
  const { stderr } = await run(process.execPath, args);
  const clockMs = performance.now() - startMs;
  const cpuMs = /^cpu-ms=([\d.]+)$/m.exec(stderr)?.[1];
  if (cpuMs === undefined) throw new Error(`the import did not print its CPU time: ${stderr.slice(-1_000)}`);
  return { data, cpuMs: Number(cpuMs), clockMs };
}

/** Starts a server on a data folder. */
export async function serveData(data: string, settings: object = {}): Promise<Server> {
  return await startService(await freePort(), data, { events, ...settings });
}

/** The number of days before today that imported projects begin. Events of more than three years ago are refused. */
const daysOfProjects = 1_001;
const firstMs = Math.floor(Date.now() / dayMs - daysOfProjects) * dayMs;

/** Returns the text of a day, counted from the first one. */
export const dayText = (day: number): string => new Date(firstMs + day * dayMs).toISOString().slice(0, 10);

/** Returns a line of an event. @param day counted from the first one */
export function eventLine(user: number, day: number, properties: object): string {
  return JSON.stringify({
    "#type": "track",
    "#event_name": "play",
    "#account_id": `user-${user}`,
    "#time": `${dayText(day)} 12:00:00`,
    properties,
  });
}
