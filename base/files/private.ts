import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { chmod, lstat } from "node:fs/promises";
import { join } from "node:path";

// Files of the data folder hold personal data and secrets: only this user can read them, whatever the umask.
const folderMode = 0o700;
const fileMode = 0o600;
const others = 0o077;

/** Creates a folder and missing parents, for this user only. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: folderMode });
}

/**
 * Creates an empty file unless it exists. An existing file of this user is made readable for this user only; it is not
 * opened, since the system frees all locks that a process has on a file when the process closes it once.
 */
export function makePrivateFile(path: string): void {
  if (!isUsableFile(path)) closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, fileMode));
  tighten(path);
}

/** Returns false where opening the file makes it, or tells why it cannot be used. */
function isUsableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Removes the access of other users to a file or folder. A missing one, or one of another user, stays as it is. */
export function tighten(path: string): void {
  const mode = modeToSet(lstatSync(path, { throwIfNoEntry: false }));
  if (mode !== undefined) chmodSync(path, mode);
}

/** Does the same as `tighten` without blocking the thread. */
export async function tightenLater(path: string): Promise<void> {
  const mode = modeToSet(await lstat(path).catch(() => undefined));
  if (mode !== undefined) await chmod(path, mode).catch(() => {});
}

/** Tightens a folder and its content. What cannot be read or changed stays as it is. */
export function tightenAll(path: string): void {
  try {
    tighten(path);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) tightenAll(inside);
      else tighten(inside);
    }
  } catch {
    // It may have been removed, or belong to another user, who must tighten it.
  }
}

function modeToSet(found: Stats | undefined): number | undefined {
  if (found === undefined || (found.mode & others) === 0) return undefined;
  if (found.uid !== process.geteuid?.()) return undefined;
  if (found.isDirectory()) return folderMode;
  return found.isFile() ? fileMode : undefined;
}
