import { createHash } from "node:crypto";
import { createReadStream, constants as fsConstants } from "node:fs";
import { access, chmod, copyFile, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateFolder } from "../../../base/files/private.ts";
import { describeSystemError, errorMessage } from "../../../base/text/system-error.ts";
import { cannotRead, cannotWrite } from "../../terminal/file-fault.ts";
import { UserError } from "../../terminal/user-error.ts";

/** Smaller chunks take longer than `copyFile`. */
const copiedBytes = 8_388_608;

/** A file of a backup. */
export interface CopiedFile {
  /** Relative to the folder of the backup, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Copies a file, readable for this user only, and syncs it. A file system that can share blocks takes no time for it.
 * After a failure there is no copy.
 * @returns the number of bytes; undefined when the file is gone, which happens to files of a spool once they are loaded
 * @throws UserError
 */
export async function copyAndSync(
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    makePrivateFolder(dirname(to));
    if (!(await shareBlocks(from, to))) await copyChunks(from, to, signal);
    await chmod(to, 0o600);
    await using copy = await open(to, "r+");
    await copy.sync();
    return (await copy.stat()).size;
  } catch (error) {
    await rm(to, { force: true }).catch(() => undefined);
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    await access(from, fsConstants.R_OK).catch((fault: unknown) => {
      throw cannotRead(from, fault);
    });
    throw cannotWrite(to, error);
  }
}

/** Returns false where the file system cannot share the blocks, or the file cannot be copied. */
async function shareBlocks(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, fsConstants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

/** Ends soon after the signal aborts, unlike `copyFile`. */
async function copyChunks(from: string, to: string, signal: AbortSignal): Promise<void> {
  await using source = await open(from, "r");
  await using copy = await open(to, "w", 0o600);
  const chunk = Buffer.allocUnsafe(copiedBytes);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(chunk);
    if (bytesRead === 0) return;
    await copy.writeFile(chunk.subarray(0, bytesRead));
  }
}

/** Where a file is, and where it is to be. */
export interface Pair {
  readonly source: string;
  readonly target: string;
}

/**
 * Moves files, also to another file system. After a failure those that were moved are at their old places again, or the
 * error names where they are.
 */
export async function moveAll(pairs: readonly Pair[], signal: AbortSignal): Promise<void> {
  const moved: Pair[] = [];
  try {
    for (const pair of pairs) {
      await move(pair, signal);
      moved.push(pair);
    }
  } catch (error) {
    const stuck = await moveBack(moved);
    if (stuck.length === 0) throw error;
    throw new UserError(`${errorMessage(error)}\n${stuck.join("\n")}`, { cause: error });
  }
}

/** Moves back all files that can be. @returns what is known of the others */
async function moveBack(moved: readonly Pair[]): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const stuck: string[] = [];
  for (const { source, target } of moved) {
    try {
      await move({ source: target, target: source }, signal);
    } catch (error) {
      stuck.push(
        `"${target}" cannot be moved back to "${source}": ${describeSystemError(error) ?? errorMessage(error)}`,
      );
    }
  }
  return stuck;
}

async function move({ source, target }: Pair, signal: AbortSignal): Promise<void> {
  makePrivateFolder(dirname(target));
  try {
    await rename(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyAndSync(source, target, signal);
    await rm(source);
  }
}

/** Syncs a folder, so that the names in it survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}

/** Reads a file and returns its size and checksum. @throws UserError */
export async function readChecksum(
  path: string,
  signal: AbortSignal,
): Promise<Pick<CopiedFile, "bytes" | "sha256">> {
  const hash = createHash("sha256");
  let bytes = 0;
  await access(path, fsConstants.R_OK).catch((fault: unknown) => {
    throw cannotRead(path, fault);
  });
  for await (const chunk of createReadStream(path, {
    highWaterMark: 1_048_576,
    signal,
  }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Describes the state of a file that must not change while it is copied. */
export async function stampOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
