import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { Writable } from "node:stream";
import { makePrivateFolder } from "../../../base/files/private.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import type { Config } from "../../config/config.ts";
import { cannotWrite } from "../../terminal/file-fault.ts";
import { sizeOf } from "../../terminal/sizes.ts";
import { writeForeign } from "../../terminal/terminal.ts";
import { UserError } from "../../terminal/user-error.ts";
import { keepFilesPrivate } from "../data/folder.ts";
import { folderId } from "../data/folder-id.ts";
import { readContents, removeTraces } from "./contents.ts";
import { type CopiedFile, copyAndSync, readChecksum, stampOf } from "./copy.ts";
import { listElsewhere, lockData, requireDataFolder } from "./exclusive.ts";
import { holdServed } from "./hold-socket.ts";
import { type Contents, writeManifest } from "./manifest.ts";
import { inFolder, marksOf, nameIn, namesOf, type Place, storesOf } from "./places.ts";
import { prune } from "./prune.ts";

export interface BackupOutput {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Prints one JSON object instead of text. */
  readonly json?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface BackupOptions {
  /** The number of backups that are left beside each other; undefined to delete none. */
  readonly keep?: number | undefined;
}

/** The data folder in a backup, beside the list of its files. */
export const dataIn = (backup: string): string => join(backup, "data");

/**
 * Copies what a configuration stores in files into a new folder, while its server runs or not. The copy is opened and
 * read once, and gets a list of its files with checksums.
 * @throws UserError
 */
export async function backUp(
  config: Config,
  folder: string,
  { keep }: BackupOptions,
  output: BackupOutput,
): Promise<void> {
  requireDataFolder(config, "engage backup");
  keepFilesPrivate();
  const dataId = prepare(config, folder);
  const made = await copyAndCheck(config, folder, dataId, output);
  const surplus = keep === undefined ? [] : prune(config, { folder, dataId }, keep);
  await (output.json ? printJson : printText)(config, made, surplus, output);
}

/** Copies into the prepared folder. After a failure there is no copy. */
async function copyAndCheck(
  config: Config,
  folder: string,
  dataId: string,
  output: BackupOutput,
): Promise<Made> {
  const copied = inFolder(config, dataIn(folder));
  try {
    const time = new Date().toISOString();
    const { bytes, isServed, ms } = await copyAll(config, copied, output.signal);
    const how = isServed ? "while the server ran" : "of a stopped server";
    if (!output.json)
      output.stderr.write(`copied ${sizeOf(bytes)} ${how} in ${ms} ms; the copy is checked\n`);
    const { contents, faults } = await readContents(copied, output.signal);
    if (faults.length > 0) {
      const advice = "the data folder may have them too: engage store check reads it";
      throw new UserError(`the copy has faults and was removed; ${advice}\n${faults.join("\n")}`);
    }
    removeTraces(copied);
    const files = await listFiles(folder, output.signal);
    await writeManifest(folder, { time, data: resolve(config.data), dataId, contents, files });
    return { folder, time, contents, files };
  } catch (error) {
    // Without its list, the copy is of no use.
    await rm(copied.data, { recursive: true, force: true });
    throw error;
  }
}

/** Makes the folder of the backup. @returns the id of the data folder @throws UserError */
function prepare({ data }: Config, folder: string): string {
  if (!existsSync(data)) throw new UserError(`the data folder "${data}" does not exist`);
  if (`${resolve(folder)}${sep}`.startsWith(`${resolve(data)}${sep}`)) {
    throw new UserError(`the folder of the backup "${folder}" is in the data folder "${data}"`);
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UserError(`the folder of the backup "${folder}" is not empty`);
  }
  // The id is not copied: the server of a backup may go on beside a restored one.
  const dataId = folderId(join(data, "backup.id"));
  try {
    makePrivateFolder(folder);
    mkdirSync(dataIn(folder), { mode: 0o700 });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return dataId;
}

interface CopyReport {
  readonly bytes: number;
  readonly isServed: boolean;
  /** How long files were held. */
  readonly ms: number;
}

async function copyAll(config: Config, copied: Config, signal: AbortSignal): Promise<CopyReport> {
  const ofMarks = await copyPlaces(marksOf(config), marksOf(copied), signal);
  await using held = await holdServed(config);
  using _lock = held === undefined ? lockData(config) : undefined;
  const startMs = performance.now();
  const stores = storesOf(config);
  const isServed = held !== undefined;
  const before = await stampsOf(stores, isServed);
  const ofStores = await copyPlaces(stores, storesOf(copied), signal);
  held?.check();
  const after = await stampsOf(stores, isServed);
  const changed = [...before].find(([path, stamp]) => after.get(path) !== stamp);
  if (changed !== undefined)
    throw new UserError(`"${changed[0]}" was changed while it was copied: try again`);
  return { bytes: ofMarks + ofStores, isServed, ms: Math.round(performance.now() - startMs) };
}

/**
 * Copies the files of places. Those that appear meanwhile, such as by a rotation, are copied too.
 * @returns the bytes
 */
async function copyPlaces(
  from: readonly Place[],
  to: readonly Place[],
  signal: AbortSignal,
): Promise<number> {
  let bytes = 0;
  for (const [at, place] of from.entries()) {
    const target = to[at]!;
    const seen = new Set<string>();
    for (
      let names = namesOf(place);
      names.length > 0;
      names = namesOf(place).filter((one) => !seen.has(one))
    ) {
      for (const name of names) {
        signal.throwIfAborted();
        seen.add(name);
        const path = join(target.folder, nameIn(target, place, name));
        bytes += (await copyAndSync(join(place.folder, name), path, signal)) ?? 0;
      }
    }
  }
  return bytes;
}

/** @param isServed whether only the held files stay as they are */
async function stampsOf(places: readonly Place[], isServed: boolean): Promise<ReadonlyMap<string, string>> {
  const paths = places.flatMap((place) =>
    namesOf(place)
      .filter((name) => !isServed || (place.isHeld && name === place.name))
      .map((name) => join(place.folder, name)),
  );
  return new Map(await Promise.all(paths.map(async (path) => [path, await stampOf(path)] as const)));
}

/** Lists the files of a backup with their checksums. */
async function listFiles(folder: string, signal: AbortSignal): Promise<readonly CopiedFile[]> {
  const files: CopiedFile[] = [];
  for (const path of pathsIn(folder)) {
    files.push({ path, ...(await readChecksum(join(folder, path), signal)) });
  }
  return files;
}

/** Returns the paths of the files in the data folder of a backup, relative to the backup, with `/`. */
export function pathsIn(backup: string): readonly string[] {
  return readdirSync(dataIn(backup), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(backup, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort();
}

interface Made {
  readonly folder: string;
  readonly time: string;
  readonly contents: Contents;
  readonly files: readonly CopiedFile[];
}

/** The folders of old backups, each after it was deleted. */
type Deleted = AsyncIterable<string> | readonly string[];

/** Prints one object at the end, also when an old backup cannot be deleted: the new one is complete. */
async function printJson(config: Config, made: Made, surplus: Deleted, output: BackupOutput): Promise<void> {
  const { folder, time, contents, files } = made;
  const deleted: string[] = [];
  try {
    for await (const old of surplus) deleted.push(old);
  } finally {
    const notIncluded = listElsewhere(config);
    const found = {
      folder,
      time,
      contents,
      files: files.length,
      bytes: bytesOf(files),
      notIncluded,
      deleted,
    };
    writeForeign(output.stdout, `${JSON.stringify(found)}\n`);
  }
}

async function printText(config: Config, made: Made, surplus: Deleted, output: BackupOutput): Promise<void> {
  const { folder, contents, files } = made;
  const size = `${exactCountOf(files.length, "file")}, ${sizeOf(bytesOf(files))}`;
  writeForeign(output.stdout, `${describeContents(contents)}\n"${folder}" is complete: ${size}\n`);
  for (const what of listElsewhere(config))
    output.stderr.write(`not included: ${what}; use the tools of that database\n`);
  for await (const old of surplus) writeForeign(output.stdout, `"${old}" is deleted\n`);
}

function bytesOf(files: readonly CopiedFile[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

/** Describes what a backup contains, for people. */
export function describeContents(contents: Contents): string {
  const { events, users, projects, waitingBytes, batches, pushChannels, tasks, savedQueries, tokens } =
    contents;
  const lines = [
    `${exactCountOf(events, "event")} and ${exactCountOf(users, "user")} of ${exactCountOf(projects, "project")}`,
    ...(waitingBytes > 0 ? [`${sizeOf(waitingBytes)} of records that are loaded at the next start`] : []),
    `${exactCountOf(batches, "webhook batch")}, ${exactCountOf(pushChannels, "push channel")}, ${exactCountOf(tasks, "task")}`,
    `${exactCountOf(savedQueries, "saved query")}, ${exactCountOf(tokens, "query token")}`,
  ];
  return lines.join("\n");
}
