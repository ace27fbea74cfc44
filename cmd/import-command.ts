import { statSync } from "node:fs";
import type { Config, ConfigOptions } from "./config.ts";
import { loadConfig } from "./config.ts";
import { checkReadable } from "./file-fault.ts";
import { formatOf, readImportFile } from "./import-files.ts";
import { openMapping } from "./import-mapping.ts";
import { createImportSummary } from "./import-summary.ts";
import type { ImportOptions, ImportStreams, ImportTarget, TargetPorts } from "./import-target.ts";
import { startProgress } from "./progress.ts";
import { UserError } from "./user-error.ts";

/**
 * Imports files one after the other and writes a summary to stderr.
 * @returns the exit code
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
  const isMapped = options.mapping !== undefined || options.map !== undefined;
  const mapping = openMapping({ file: options.mapping, entries: options.map ?? [] });
  for (const file of files) checkFile(file, options, isMapped);
  const verb = options.dryRun ? "valid" : options.url === undefined ? "stored" : "accepted";
  const summary = createImportSummary(verb);
  const startMs = performance.now();
  await using target = await openTarget(config, configOptions, {
    projectId,
    options,
    summary,
    streams,
    signal,
  });
  const progress = startProgress(files, streams.stdout, streams.stderr);
  try {
    for (const file of files) {
      const fileBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      const table = options.format ?? formatOf(file);
      const map = isMapped || table !== "ndjson" ? mapping.map : undefined;
      const { separator } = mapping;
      const source = { format: options.format, map, separator, stdin: streams.stdin, signal };
      for await (const block of readImportFile(file, source)) {
        summary.failed(block.failures);
        if (block.lines.length > 0) await target.take(block.lines);
        progress.at(file, block.fraction(fileBytes) * fileBytes);
      }
    }
    await target.finish();
  } finally {
    progress.stop();
  }
  streams.stderr.write(summary.text((performance.now() - startMs) / 1_000));
  return options.strict && summary.failures() > 0 ? 1 : 0;
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

/** Before anything is stored. */
function checkFile(file: string, { format = formatOf(file) }: ImportOptions, isMapped: boolean): void {
  if (file !== "-") checkReadable(file);
  if (format === "csv" && !isMapped) {
    throw new UserError(`${JSON.stringify(file)} is CSV, all of which is text: give --mapping or --map`);
  }
}
