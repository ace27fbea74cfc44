import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
} from "node:fs";
import { chmod, lstat } from "node:fs/promises";
import { join } from "node:path";

// Files of the data folder hold personal data and secrets: only this user can read them, whatever the umask.
const folderMode = 0o700;
const fileMode = 0o600;
const others = 0o077;

/** Makes a folder and those above it where they are missing, for this user alone. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: folderMode });
}

/** Makes an empty file unless it exists. A file of this user is made readable for this user alone. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, fileMode));
  tighten(path);
}

/** Removes the access of others to a file or a folder. One that is missing or of another user stays as it is. */
export function tighten(path: string): void {
  const mode = modeToSet(lstatSync(path, { throwIfNoEntry: false }));
  if (mode !== undefined) chmodSync(path, mode);
}

/** The same without holding the thread. */
export async function tightenLater(path: string): Promise<void> {
  const mode = modeToSet(await lstat(path).catch(() => undefined));
  if (mode !== undefined) await chmod(path, mode).catch(() => {});
}

/** Tightens a folder with all that is in it. What can't be looked at or changed stays as it is. */
export function tightenAll(path: string): void {
  try {
    tighten(path);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) tightenAll(inside);
      else tighten(inside);
    }
  } catch {
    // It may be removed meanwhile, or be of another user, who has to tighten it.
  }
}

function modeToSet(found: Stats | undefined): number | undefined {
  if (found === undefined || (found.mode & others) === 0) return undefined;
  if (found.uid !== process.geteuid?.()) return undefined;
  if (found.isDirectory()) return folderMode;
  return found.isFile() ? fileMode : undefined;
}
