import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { listName, type Manifest, readManifest } from "./manifest.ts";

/**
 * Deletes the oldest complete backups of a data folder beside a new one, so that this many are left. A folder with
 * anything but the list and the data of a backup is kept, as are backups of other data folders.
 * @returns the deleted folders, the oldest first
 * @throws UserError
 */
export async function prune({ data }: Config, folder: string, keep: number): Promise<readonly string[]> {
  const own = resolve(folder);
  const found = backupsIn(dirname(folder)).filter(
    (one) => resolve(one.folder) !== own && one.manifest.data === resolve(data),
  );
  // As texts, times of one format are in their order.
  found.sort((a, b) => (a.manifest.time < b.manifest.time ? -1 : 1));
  const surplus = found.slice(0, Math.max(0, found.length - (keep - 1))).map((one) => one.folder);
  for (const one of surplus) {
    try {
      // Without its list, what is left after a crash is no backup.
      await rm(join(one, listName));
      await rm(one, { recursive: true });
    } catch (error) {
      const message = `"${folder}" is complete, but the old backup "${one}" cannot be deleted: ${errorMessage(error)}`;
      throw new UserError(message, { cause: error });
    }
  }
  return surplus;
}

interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Finds the complete backups in a folder. Symbolic links are none. */
function backupsIn(parent: string): Backup[] {
  return readdirSync(parent, { withFileTypes: true }).flatMap((entry) => {
    const folder = join(parent, entry.name);
    if (!entry.isDirectory() || !hasOnlyBackup(folder)) return [];
    try {
      return [{ folder, manifest: readManifest(folder) }];
    } catch (error) {
      if (error instanceof UserError) return [];
      throw error;
    }
  });
}

function hasOnlyBackup(folder: string): boolean {
  try {
    return readdirSync(folder).sort().join() === `${listName},data`;
  } catch {
    // A folder of other users is no backup of this one.
    return false;
  }
}
