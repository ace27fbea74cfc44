import { statSync } from "node:fs";
import type { Config, ConfigOptions } from "./config.ts";
import { loadConfig } from "./config.ts";
import { checkReadable } from "./file-fault.ts";
import { type FileOptions, formatOf, readImportFile } from "./import-files.ts";
import { openMapping } from "./import-mapping.ts";
import { takeFiles } from "./import-reading.ts";
import { createImportSummary } from "./import-summary.ts";
import type { ImportOptions, ImportStreams, ImportTarget, TargetPorts } from "./import-target.ts";
import { startProgress } from "./progress.ts";
import { writeForeign } from "./terminal.ts";
import { UserError } from "./user-error.ts";

/**
 * Imports files one after the other and writes a summary to stderr. What was taken is stored also when the signal is
 * aborted, or a file can't be read to its end; then is told how to go on.
 * @returns the exit code
 * @throws StoppedError when the signal was aborted
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
  for (const file of files) await checkFile(file, sourceOf(file), options);
  const verb = options.dryRun ? "valid" : options.url === undefined ? "stored" : "accepted";
  const summary = createImportSummary(verb);
  const startMs = performance.now();
  await using target = await openTarget(config, configOptions, {
    ...{ projectId, options, summary, streams, signal },
  });
  const progress = startProgress(files, streams.stdout, streams.stderr);
  const tell = () => writeForeign(streams.stderr, summary.text((performance.now() - startMs) / 1_000));
  await takeFiles(files, { sourceOf, target, summary, progress, tell, options, streams, signal });
  const refusal = summary.allRefused();
  if (refusal !== undefined)
    writeForeign(streams.stderr, `engage: no record was ${verb}, the first was refused as ${refusal}\n`);
  return refusal !== undefined || (options.strict && summary.failures() > 0) ? 1 : 0;
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
  if (ports.options.url !== undefined) {
    const { openRemoteImport } = await import("./import-remote.ts");
    return openRemoteImport(configOptions, ports);
  }
  const { openDryImport, openLocalImport } = await import("./import-local.ts");
  return ports.options.dryRun ? openDryImport(config, ports) : await openLocalImport(config, ports);
}

function projectOf({ projects }: Config, { project, url }: ImportOptions): number {
  const ids = projects.map(({ id }) => id);
  const known = ids.length === 0 ? "projects is empty" : `projects are ${ids.join(", ")}`;
  if (project !== undefined && (url !== undefined || ids.includes(project))) return project;
  if (project !== undefined) throw new UserError(`there is no project ${project}, ${known}`);
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) return only;
  throw new UserError(`give --project, ${known}`);
}

/** Before anything is stored: that it is there, and that it begins as it should. */
async function checkFile(file: string, source: FileOptions, { mapping, map }: ImportOptions): Promise<void> {
  if (source.format === "csv" && mapping === undefined && map === undefined) {
    throw new UserError(`${JSON.stringify(file)} is CSV, all of which is text: give --mapping or --map`);
  }
  if (file === "-") return;
  checkReadable(file);
  // What comes through a pipe can be read only once.
  if (!statSync(file).isFile()) return;
  for await (const _block of readImportFile(file, source)) break;
}
