import { statfsSync } from "node:fs";

/** The free space of a disk. It is measured at most ten times a second; in between it is estimated. */
export interface FreeSpace {
  /** Returns the bytes that are free. @throws what the measurement throws */
  bytes(): number;
  /** Counts the bytes as written until the next measurement. */
  take(bytes: number): void;
  /** Measures again, whatever the age of the last measurement. @throws what the measurement throws */
  measure(): number;
}

const intervalMs = 100;

/**
 * @param freeBytes measures the bytes that are free
 * @param monotonicMs milliseconds of a clock that is never set
 */
export function createFreeSpace(
  freeBytes: () => number,
  monotonicMs: () => number = () => performance.now(),
): FreeSpace {
  let free = 0;
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  const measure = (): number => {
    // A failed measurement invalidates the last one.
    measuredAtMs = Number.NEGATIVE_INFINITY;
    free = freeBytes();
    measuredAtMs = monotonicMs();
    return free;
  };
  return {
    bytes: () => (monotonicMs() - measuredAtMs >= intervalMs ? measure() : free),
    take(bytes) {
      free -= bytes;
    },
    measure,
  };
}

/**
 * Returns the bytes that a process without privileges may still write to the disk of a folder.
 * @throws if it is missing
 */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
