import { statfsSync } from "node:fs";
import { wordError, wordSystemError } from "../../base/text/system-error.ts";
import { RecordsUnavailableError } from "./records.ts";

export interface DiskMarkOptions {
  /** It exists. */
  readonly folder: string;
  /** Records are refused when less is free. */
  readonly minFreeBytes: number;
  /** A clock in ms that never goes back. */
  readonly monotonicMs?: () => number;
  /** Bytes a process without privileges may still write to the disk of a folder. */
  readonly freeBytes?: (folder: string) => number;
}

/** Free space is asked for at most this often; in between it is reckoned. */
const lookMs = 100;

/**
 * Says no before the disk does: on a full one not even what was taken can be stored.
 * @returns to be asked before a record is taken; throws RecordsUnavailableError
 */
export function createDiskMark(options: DiskMarkOptions): (bytes: number) => void {
  const { folder, minFreeBytes, monotonicMs = () => performance.now(), freeBytes = freeBytesOf } = options;
  let free = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    const nowMs = monotonicMs();
    if (nowMs - lookedAtMs >= lookMs) {
      free = look(freeBytes, folder);
      lookedAtMs = nowMs;
    }
    if (free - bytes < minFreeBytes) {
      throw new RecordsUnavailableError(
        `the disk of "${folder}" has ${free} bytes free, at least ${minFreeBytes} must stay`,
      );
    }
    free -= bytes;
  };
}

/** It can't be asked once the folder is gone, removed or no longer mounted. */
function look(freeBytes: (folder: string) => number, folder: string): number {
  try {
    return freeBytes(folder);
  } catch (error) {
    const why = wordSystemError(error) ?? wordError(error);
    throw new RecordsUnavailableError(`the disk of "${folder}" can't be asked: ${why}`, { cause: error });
  }
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
