import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exactCountOf } from "../../../base/text/count.ts";
import type { Config } from "../../config/config.ts";
import { writeForeign } from "../../terminal/terminal.ts";
import { UserError } from "../../terminal/user-error.ts";
import { keepFilesPrivate } from "../data/folder.ts";
import { type BackupOutput, dataIn, describeContents, pathsIn } from "./backup.ts";
import { readContents } from "./contents.ts";
import { copyAndSync, moveAll, type Pair, readChecksum, syncFolder } from "./copy.ts";
import { lockData, requireDataFolder } from "./exclusive.ts";
import { isServed } from "./hold-socket.ts";
import { type Contents, type Manifest, readManifest } from "./manifest.ts";
import { inFolder, marksOf, nameIn, namesOf, type Place, storesOf } from "./places.ts";

export interface RestoreOptions {
  /** Only reads the backup. */
  readonly check?: boolean | undefined;
  /** Moves what the data folder has out of the way. */
  readonly replace?: boolean | undefined;
}

/**
 * Restores a backup into the places of a configuration, after its files were compared with their checksums. The
 * restored stores are opened and counted.
 * @throws UserError when the backup is damaged, the data folder is in use, or the counts differ
 */
export async function restore(
  config: Config,
  folder: string,
  options: RestoreOptions,
  output: BackupOutput,
): Promise<void> {
  const manifest = readManifest(folder);
  const faults = await findFileFaults(folder, manifest, output.signal);
  if (faults.length > 0) {
    throw new UserError(`"${folder}" is damaged, nothing was restored\n${faults.join("\n")}`);
  }
  if (options.check) return report(folder, manifest, "is intact", output);
  requireDataFolder(config, "engage restore");
  keepFilesPrivate();
  await refuseServed(config);
  using _lock = lockData(config);
  const from = inFolder(config, dataIn(folder));
  requirePlaces(folder, manifest, [...marksOf(from), ...storesOf(from)]);
  refuseExisting(config, options.replace === true);
  const pairs = [
    ...pairsOf(marksOf(from), marksOf(config)),
    ...pairsOf(storesOf(from), storesOf(config)).toReversed(),
  ];
  const kept = await copyAndMakeRoom(config, pairs, output.signal);
  if (kept !== undefined) writeForeign(output.stderr, `what was there before is kept in "${kept}"\n`);
  await putInPlace(pairs);
  const { contents, faults: found } = await readContents(config, output.signal);
  const differences = [...found, ...differencesOf(manifest.contents, contents)];
  if (differences.length > 0) {
    throw new UserError(`the restored data differs from the backup\n${differences.join("\n")}`);
  }
  report(folder, manifest, `is restored into "${config.data}"`, output);
}

/** Compares the files of a backup with their list. */
async function findFileFaults(
  folder: string,
  { files }: Manifest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = new Set(existsSync(dataIn(folder)) ? pathsIn(folder) : []);
  const faults = [...found.difference(new Set(files.map(({ path }) => path)))].map(
    (path) => `${path} is not in the list`,
  );
  for (const { path, bytes, sha256 } of files) {
    if (!found.has(path)) {
      faults.push(`${path} is missing`);
      continue;
    }
    const read = await readChecksum(join(folder, path), signal);
    if (read.bytes !== bytes) faults.push(`${path} has ${read.bytes} bytes instead of ${bytes}`);
    else if (read.sha256 !== sha256) faults.push(`${path} has another checksum`);
  }
  return faults;
}

/** @throws UserError */
async function refuseServed(config: Config): Promise<void> {
  if (await isServed(config))
    throw new UserError(`a server runs on the data folder "${config.data}": stop it first`);
}

/** Checks that the configuration has a place for each file. @throws UserError */
function requirePlaces(folder: string, { files }: Manifest, places: readonly Place[]): void {
  const known = new Set(places.flatMap((place) => namesOf(place).map((name) => join(place.folder, name))));
  const other = files.find(({ path }) => !known.has(join(folder, path)));
  if (other === undefined) return;
  throw new UserError(
    `the backup has ${other.path}, which this configuration does not store in the data folder`,
  );
}

/** @throws UserError when there are files which may not be replaced */
function refuseExisting(config: Config, isAllowed: boolean): void {
  const [path] = pathsOf(config);
  if (path === undefined || isAllowed) return;
  throw new UserError(
    `"${path}" exists: move the data folder away, or give --replace to keep it in a folder beside`,
  );
}

function pathsOf(config: Config): readonly string[] {
  const places = [...marksOf(config), ...storesOf(config)];
  return places.flatMap((place) => namesOf(place).map((name) => join(place.folder, name)));
}

const suffix = ".restoring";

/**
 * Copies all files beside their places, where nothing reads them, and then moves away what is in these places. After a
 * failure the places are as they were.
 * @returns the folder that has what was moved; undefined without any
 */
async function copyAndMakeRoom(
  config: Config,
  pairs: readonly Pair[],
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    for (const { source, target } of pairs) {
      signal.throwIfAborted();
      await copyAndSync(source, `${target}${suffix}`, signal);
    }
    return await makeRoom(config, signal);
  } catch (error) {
    await Promise.allSettled(pairs.map(({ target }) => rm(`${target}${suffix}`, { force: true })));
    throw error;
  }
}

/** Moves existing files away, or none after a failure. @returns the folder that has them; undefined without any */
async function makeRoom(config: Config, signal: AbortSignal): Promise<string | undefined> {
  if (pathsOf(config).length === 0) return undefined;
  const places = [...marksOf(config), ...storesOf(config)];
  const folder = join(config.data, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
  const kept = inFolder(config, folder);
  const pairs = pairsOf(places, [...marksOf(kept), ...storesOf(kept)]);
  await moveAll(pairs, signal);
  return folder;
}

/**
 * Renames the copies to their places: marks first and events last. After a crash a start finds less than the marks say,
 * and refuses to go on.
 */
async function putInPlace(pairs: readonly Pair[]): Promise<void> {
  for (const { target } of pairs) await rename(`${target}${suffix}`, target);
  for (const folder of new Set(pairs.map(({ target }) => dirname(target)))) await syncFolder(folder);
}

function pairsOf(from: readonly Place[], to: readonly Place[]): readonly Pair[] {
  return from.flatMap((place, at) =>
    namesOf(place).map((name) => ({
      source: join(place.folder, name),
      target: join(to[at]!.folder, nameIn(to[at]!, place, name)),
    })),
  );
}

function differencesOf(before: Contents, now: Contents): readonly string[] {
  return (Object.keys(before) as (keyof Contents)[])
    .filter((name) => before[name] !== now[name])
    .map((name) => `${name}: ${now[name]} instead of ${before[name]}`);
}

function report(
  folder: string,
  { time, contents, files }: Manifest,
  what: string,
  output: BackupOutput,
): void {
  if (output.json) {
    writeForeign(output.stdout, `${JSON.stringify({ folder, time, contents, files: files.length })}\n`);
    return;
  }
  const text = `"${folder}" of ${time} ${what}: ${exactCountOf(files.length, "file")}`;
  writeForeign(output.stdout, `${describeContents(contents)}\n${text}\n`);
}
