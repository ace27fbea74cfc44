import { createHash } from "node:crypto";
import { createReadStream, constants as fsConstants } from "node:fs";
import { access, chmod, copyFile, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateFolder } from "../../../base/files/private.ts";
import { cannotRead, cannotWrite } from "../../terminal/file-fault.ts";

/** A file of a backup. */
export interface CopiedFile {
  /** Relative to the folder of the backup, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Copies a file, readable for this user only, and syncs it. A file system that can share blocks takes no time for it.
 * @returns the number of bytes; undefined when the file is gone, which happens to files of a spool once they are loaded
 * @throws UserError
 */
export async function copyAndSync(from: string, to: string): Promise<number | undefined> {
  try {
    makePrivateFolder(dirname(to));
    await copyFile(from, to, fsConstants.COPYFILE_FICLONE);
    await chmod(to, 0o600);
    await using copy = await open(to, "r+");
    await copy.sync();
    return (await copy.stat()).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    await access(from, fsConstants.R_OK).catch((fault: unknown) => {
      throw cannotRead(from, fault);
    });
    throw cannotWrite(to, error);
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
