import { createFreeSpace, freeBytesOf } from "../../base/files/free-space.ts";
import { describeReason } from "../../base/text/system-error.ts";
import { RecordsUnavailableError } from "./records.ts";

export interface FreeSpaceOptions {
  /** An existing folder. */
  readonly folder: string;
  /** Returns the minimum of free disk space; records are refused below it. */
  readonly minFreeBytes: () => number;
  /** Returns milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
  /** Returns the bytes that a process without privileges may still write to the disk of a folder. */
  readonly freeBytes?: (folder: string) => number;
}

/**
 * Refuses records before the disk is full: a full disk could not even store accepted ones.
 * @returns a function to call before a record is accepted, which throws RecordsUnavailableError
 */
export function createFreeSpaceCheck({
  folder,
  minFreeBytes,
  monotonicMs,
  freeBytes = freeBytesOf,
}: FreeSpaceOptions): (bytes: number) => void {
  const space = createFreeSpace(() => measure(freeBytes, folder), monotonicMs);
  return (bytes) => {
    const free = space.bytes();
    const least = minFreeBytes();
    if (free - bytes < least) {
      throw new RecordsUnavailableError(
        `the disk of "${folder}" has ${free} bytes free, at least ${least} must stay`,
      );
    }
    space.take(bytes);
  };
}

/** Measures the free space, which fails when the folder was removed or is no longer mounted. */
function measure(freeBytes: (folder: string) => number, folder: string): number {
  try {
    return freeBytes(folder);
  } catch (error) {
    throw new RecordsUnavailableError(`the disk of "${folder}" can't be measured: ${describeReason(error)}`, {
      cause: error,
    });
  }
}
