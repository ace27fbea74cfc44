import { statSync } from "node:fs";
import { chooseServer } from "../client/choose-server.ts";
import type { Config, ConfigOptions } from "../config/config.ts";
import { loadConfig } from "../config/config.ts";
import { listProjects, noProject } from "../config/known-projects.ts";
import { checkReadable } from "../terminal/file-fault.ts";
import { startProgress } from "../terminal/progress.ts";
import { openRejects, type Reject } from "../terminal/rejects.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";
import { type FileOptions, formatOf, type ImportBlock, readImportFile, rowWordOf } from "./files.ts";
import { openLedger } from "./ledger.ts";
import { openMapping } from "./mapping.ts";
import type { ImportPosition } from "./position.ts";
import { importFiles } from "./reading.ts";
import type { RefusedRecord } from "./refused.ts";
import { createImportSummary } from "./summary.ts";
import {
  type ImportOptions,
  type ImportStreams,
  type ImportTarget,
  isRemote,
  type TargetPorts,
} from "./target.ts";

/**
 * Imports files one after the other and writes a summary to stderr. If the signal is aborted, or a file cannot be read
 * to its end, the records read so far are stored, and the command line that continues the import is printed.
 * @returns the exit code
 * @throws StoppedError if the signal was aborted
 */
export async function runImport(
  configOptions: ConfigOptions,
  files: readonly string[],
  options: ImportOptions,
  streams: ImportStreams,
  signal: AbortSignal,
): Promise<number> {
  const { config } = loadConfig(configOptions);
  const projectId = projectOf(config, options);
  const sourceOf = sourcesOf(options, streams, signal);
  const withUuids = new Set<string>();
  for (const file of files) {
    const first = await checkFile(file, sourceOf(file), options);
    if (first !== undefined && hasUuids(first)) withUuids.add(file);
  }
  const ledger = openLedger(config, projectId, withUrl(options, configOptions));
  for (const warning of ledger.check(files, (file) => withUuids.has(file)))
    writeForeign(streams.stderr, `engage: warning: ${warning}\n`);
  using rejects = options.rejects === undefined ? undefined : openRejects(options.rejects, files);
  const verb = options.dryRun ? "valid" : isRemote(options) ? "accepted" : "stored";
  const keep = rejects && ((refused: RefusedRecord) => rejects.add(rejectOf(refused, options)));
  const summary = createImportSummary(verb, { examples: options.examples, keep });
  const startMs = performance.now();
  await using target = await openTarget(config, configOptions, {
    projectId,
    options,
    summary,
    streams,
    signal,
  });
  const progress = startProgress(files, {}, streams.stderr);
  const writeSummary = () => {
    const seconds = (performance.now() - startMs) / 1_000;
    if (options.json) writeForeign(streams.stdout, `${JSON.stringify(summary.counts(seconds))}\n`);
    else writeForeign(streams.stderr, summary.text(seconds));
  };
  const storePosition = (position: ImportPosition) => ledger.record(files, position);
  const ports = {
    sourceOf,
    target,
    summary,
    progress,
    writeSummary,
    options,
    streams,
    signal,
    storePosition,
  };
  await importFiles(files, ports);
  const refusal = summary.allRefused();
  if (refusal !== undefined)
    writeForeign(streams.stderr, `engage: no record was ${verb}, the first was refused as ${refusal}\n`);
  return refusal !== undefined || (options.strict && summary.failures() > 0) ? 1 : 0;
}

/**
 * Returns a refused record in the form of the file of refused records. A place is the file and the number of a line or
 * row in it.
 */
function rejectOf({ reason, message, place = "", data }: RefusedRecord, options: ImportOptions): Reject {
  const colon = place.lastIndexOf(":");
  const file = place.slice(0, Math.max(0, colon));
  const word = rowWordOf(options.format ?? formatOf(file));
  return {
    file,
    number: colon < 0 ? undefined : Number(place.slice(colon + 1)),
    word,
    reason,
    message,
    data,
  };
}

type SourceOf = (file: string) => FileOptions;

function sourcesOf(options: ImportOptions, { stdin }: ImportStreams, signal: AbortSignal): SourceOf {
  const isMapped = options.mapping !== undefined || options.map !== undefined;
  const mapping = openMapping({ file: options.mapping, entries: options.map ?? [] });
  return (file) => {
    const format = options.format ?? formatOf(file);
    return { format, mapping: isMapped || format !== "ndjson" ? mapping : undefined, skip: 0, stdin, signal };
  };
}

async function openTarget(
  config: Config,
  configOptions: ConfigOptions,
  ports: TargetPorts,
): Promise<ImportTarget> {
  if (isRemote(ports.options)) {
    const { openRemoteImport } = await import("./remote.ts");
    return openRemoteImport(configOptions, ports);
  }
  const { openDryImport, openLocalImport } = await import("../serve/event/local-import.ts");
  return await (ports.options.dryRun ? openDryImport : openLocalImport)(config, ports);
}

function projectOf({ projects }: Config, options: ImportOptions): number {
  const { project } = options;
  const ids = projects.map(({ id }) => id);
  if (project !== undefined && (isRemote(options) || ids.includes(project))) return project;
  if (project !== undefined) throw new UserError(noProject(project, ids));
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) return only;
  throw new UserError(`give --project, ${listProjects(ids)}`);
}

/** The ledger names the server and not the profile, whose server may change. */
function withUrl(options: ImportOptions, configOptions: ConfigOptions): ImportOptions {
  if (options.profile === undefined) return options;
  return { ...options, url: chooseServer(configOptions, options).baseUrl };
}

/** Whether all records of the first block have a #uuid. */
function hasUuids({ lines }: ImportBlock): boolean {
  const first = Buffer.from(lines.subarray(0, 65_536)).toString("latin1").split("\n", 20);
  return (
    first.length > 1 && first.slice(0, -1).every((line) => line.trim() === "" || line.includes('"#uuid"'))
  );
}

/** Checks that a file exists and begins correctly, before anything is stored. Resolves with its first block. */
async function checkFile(
  file: string,
  source: FileOptions,
  { mapping, map }: ImportOptions,
): Promise<ImportBlock | undefined> {
  if (source.format === "csv" && mapping === undefined && map === undefined) {
    throw new UsageError(`${JSON.stringify(file)} is CSV, all of which is text: give --mapping or --map`);
  }
  if (file === "-") return undefined;
  checkReadable(file);
  // Pipes can be read only once.
  if (!statSync(file).isFile()) return undefined;
  for await (const block of readImportFile(file, source)) return block;
  return undefined;
}
