import { readdirSync, realpathSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { syncFolder } from "./copy.ts";
import { listName, type Manifest, readManifest } from "./manifest.ts";

/** The name of the list while a backup is deleted, which is no backup any more. */
const deletedListName = `${listName}.deleted`;

/**
 * Deletes the oldest complete backups of a data folder beside a new one, so that this many are left, and what a crash
 * left of earlier deletions. A folder with anything but the list and the data of a backup is kept, as are backups of
 * other data folders.
 * @param made the new backup, and the id of the data folder
 * @returns the folders, each after it was deleted, the oldest first
 * @throws UserError
 */
export async function* prune(
  { data }: Config,
  made: { readonly folder: string; readonly dataId: string },
  keep: number,
): AsyncIterable<string> {
  const found = backupsBeside(made.folder).filter(
    ({ manifest }) => manifest.data === resolve(data) && manifest.dataId === made.dataId,
  );
  const complete = found.filter(({ list }) => list === listName);
  // As texts, times of one format are in their order.
  complete.sort((a, b) => (a.manifest.time < b.manifest.time ? -1 : 1));
  const surplus = complete.slice(0, Math.max(0, complete.length - (keep - 1)));
  for (const old of [...found.filter(({ list }) => list === deletedListName), ...surplus]) {
    try {
      await deleteBackup(old);
    } catch (error) {
      const message = `"${made.folder}" is complete, but the old backup "${old.folder}" cannot be deleted: ${errorMessage(error)}`;
      throw new UserError(message, { cause: error });
    }
    yield old.folder;
  }
}

/** The list is deleted last, so that another run recognizes what a crash leaves. */
async function deleteBackup({ folder, list }: Backup): Promise<void> {
  await rename(join(folder, list), join(folder, deletedListName));
  await syncFolder(folder);
  await rm(join(folder, "data"), { recursive: true, force: true });
  await rm(folder, { recursive: true });
}

interface Backup {
  readonly folder: string;
  /** The name of its list. */
  readonly list: string;
  readonly manifest: Manifest;
}

/** Finds the other backups in the folder of a backup, also those whose deletion has begun. Symbolic links are none. */
function backupsBeside(folder: string): Backup[] {
  const own = realpathSync.native(folder);
  const given = dirname(folder);
  const parent = realpathSync.native(given) === dirname(own) ? given : dirname(own);
  return readdirSync(parent, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name === basename(own)) return [];
    const found = join(parent, entry.name);
    const list = listIn(found);
    if (list === undefined) return [];
    try {
      return [{ folder: found, list, manifest: readManifest(found, list) }];
    } catch (error) {
      if (error instanceof UserError) return [];
      throw error;
    }
  });
}

/** Returns the name of the list in the folder of a backup; undefined for other folders. */
function listIn(folder: string): string | undefined {
  try {
    const names = readdirSync(folder).filter((name) => name !== "data");
    const isList = names[0] === listName || names[0] === deletedListName;
    return names.length === 1 && isList ? names[0] : undefined;
  } catch {
    // A folder of other users is no backup of this one.
    return undefined;
  }
}
