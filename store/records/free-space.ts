import { createFreeSpace, freeBytesOf } from "../../base/files/free-space.ts";
import { describeReason } from "../../base/text/system-error.ts";
import { RecordsUnavailableError } from "./records.ts";

export interface FreeSpaceOptions {
  /** An existing folder. */
  readonly folder: string;
  /** The minimum of free disk space; records are refused below it. It is read for each record. */
  readonly minFreeBytes: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
  /** Returns the bytes that a process without privileges may still write to the disk of a folder. */
  readonly freeBytes?: (folder: string) => number;
}

/**
 * Refuses records before the disk is full: a full disk could not even store accepted ones.
 * @returns a function to call before a record is accepted, which throws RecordsUnavailableError
 */
export function createFreeSpaceCheck(options: FreeSpaceOptions): (bytes: number) => void {
  const { folder, monotonicMs, freeBytes = freeBytesOf } = options;
  const space = createFreeSpace(() => measure(freeBytes, folder), monotonicMs);
  return (bytes) => {
    const free = space.bytes();
    const { minFreeBytes } = options;
    if (free - bytes < minFreeBytes) {
      throw new RecordsUnavailableError(
        `the disk of "${folder}" has ${free} bytes free, at least ${minFreeBytes} must stay`,
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
