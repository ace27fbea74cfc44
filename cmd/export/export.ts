import { createWriteStream, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { stringifyExactJson } from "../../base/json/exact-numbers.ts";
import { countOf } from "../../base/text/count.ts";
import { formatDate, parseDate } from "../../base/time/local-time.ts";
import { dayMs } from "../../base/time/units.ts";
import { compileToInstant } from "../../base/time/zone.ts";
import type { EventStore, ExportRange } from "../../store/events/events.ts";
import { type Config, type ConfigOptions, loadConfig } from "../config/config.ts";
import { listProjects, noProject } from "../config/known-projects.ts";
import { lockFolder } from "../serve/data/lock.ts";
import { openEventStore } from "../serve/event/store.ts";
import { cannotWrite, isFolder } from "../terminal/file-fault.ts";
import { startPartProgress } from "../terminal/part-progress.ts";
import { guardsOf } from "../terminal/terminal.ts";
import { UserError } from "../terminal/user-error.ts";

export interface ExportOptions {
  /** Id of the project; may be left out when there is only one. */
  readonly project?: number;
  /** First and last day of events, `yyyy-MM-dd`, in the project's zone. */
  readonly from?: string;
  readonly to?: string;
  /** False leaves users out. */
  readonly users?: boolean;
  readonly json?: boolean;
}

export interface ExportStreams {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** The largest time of a Date. */
const maxMs = 8.64e15;

/** Writes users and events as records that `engage import` takes. A file is complete, or does not exist. */
export async function runExport(
  configOptions: ConfigOptions,
  file: string,
  options: ExportOptions,
  streams: ExportStreams,
  signal: AbortSignal,
): Promise<void> {
  const { config } = loadConfig(configOptions);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw isFolder("write", file);
  const range = rangeOf(config, options);
  using _lock = lockFolder(join(config.data, "events"));
  await using store = await openEventStore(config);
  let records = 0;
  const stats = (await store.stats()).projects.find(({ projectId }) => projectId === range.projectId);
  const all = (stats?.events ?? 0) + (stats?.updatableEvents ?? 0) + (range.users ? (stats?.users ?? 0) : 0);
  {
    using progress = startPartProgress("records", streams.stderr);
    const lines = Readable.from(
      linesOf(store, range, signal, (count) => {
        records += count;
        progress.at(Math.min(records, all), all);
      }),
    );
    await write(lines, file, streams.stdout);
  }
  const summary = options.json ? JSON.stringify({ records }) : `${countOf(records, "record")} exported`;
  streams.stderr.write(`${summary}\n`);
}

async function write(lines: Readable, file: string, stdout: Writable): Promise<void> {
  if (file === "-") return await pipeline([lines, ...guardsOf(stdout), stdout], { end: false });
  const part = `${file}.part`;
  try {
    const target = createWriteStream(part, { flush: true, mode: 0o600 });
    await (file.endsWith(".gz") ? pipeline(lines, createGzip(), target) : pipeline(lines, target));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error instanceof Error && "syscall" in error ? cannotWrite(file, error) : error;
  }
}

async function* linesOf(
  store: Pick<EventStore, "export">,
  range: ExportRange,
  signal: AbortSignal,
  written: (records: number) => void,
): AsyncGenerator<string> {
  for await (const records of store.export(range, signal)) {
    yield records.map((record) => `${stringifyExactJson(record)}\n`).join("");
    written(records.length);
  }
}

function rangeOf({ projects }: Config, { project, from, to, users = true }: ExportOptions): ExportRange {
  const ids = projects.map(({ id }) => id);
  const found =
    project === undefined && ids.length === 1 ? projects[0] : projects.find(({ id }) => id === project);
  if (found === undefined) {
    throw new UserError(
      project === undefined ? `give --project, ${listProjects(ids)}` : noProject(project, ids),
    );
  }
  const toInstant = compileToInstant(found.zone);
  const startMs = from === undefined ? -maxMs : toInstant(dayOf("--from", from));
  const endMs = to === undefined ? maxMs : toInstant(dayOf("--to", to) + dayMs);
  if (startMs >= endMs) throw new UserError(`--from ${from} is after --to ${to}`);
  return { projectId: found.id, startMs, endMs, users };
}

function dayOf(option: string, text: string): number {
  const localMs = parseDate(text);
  if (localMs !== undefined) return localMs;
  const example = formatDate(Date.now());
  throw new UserError(`${option} is ${JSON.stringify(text)}, give a day such as ${example}`);
}
