import { dirname } from "node:path";
import { createFreeSpace, freeBytesOf } from "../../../base/files/free-space.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { StoreFaults } from "../faults.ts";

export interface DiskGuardOptions {
  readonly path: string;
  readonly faults: StoreFaults;
  /** The minimum of free disk space; data is refused when less remains. */
  readonly minFreeBytes: number;
  /** The maximum size of the store; null: no limit. */
  readonly maxBytes: number | null;
  /** The maximum space that the write-ahead log may still take when it is copied into the database. */
  readonly maxWalBytes: number;
  /** Returns the bytes that a process without privileges may still write to the disk of a path. */
  readonly freeBytes?: ((path: string) => number) | undefined;
}

/** A body is written to the log and to the database, with its rows. */
const bytesPerBodyByte = 2.5;
const bytesPerBatch = 32_768;

/** Refuses data before the disk is full. */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #file: string;
  #usedBytes = 0;
  readonly #space = createFreeSpace(() => this.#measureFree());

  constructor(options: DiskGuardOptions) {
    this.#options = options;
    this.#file = `${options.faults.noun} file "${options.path}"`;
  }

  /**
   * Checks that there is space for the bytes.
   * @throws FullError of the store, which says what is short
   * @throws UnavailableError when the free space can't be measured
   */
  check(bytes: number): void {
    const { faults, minFreeBytes, maxBytes, maxWalBytes } = this.#options;
    if (maxBytes !== null && this.#usedBytes + bytes > maxBytes) {
      throw new faults.FullError(
        `${this.#file} uses ${this.#usedBytes} bytes, at most ${maxBytes} are allowed`,
      );
    }
    const freeBytes = this.#space.bytes() - maxWalBytes;
    if (freeBytes - neededBytes(bytes) < minFreeBytes) {
      const description = `disk of ${this.#file} has ${Math.max(0, freeBytes)} bytes free beside its log`;
      throw new faults.FullError(`${description}, at least ${minFreeBytes} must stay`);
    }
  }

  /** Checks as `check` does, and counts the bytes as written. */
  admit(bytes: number): void {
    this.check(bytes);
    this.#space.take(neededBytes(bytes));
  }

  setUsedBytes(bytes: number): void {
    this.#usedBytes = bytes;
  }

  /** Measures the free space again, whatever the last measurement's age. */
  measure(): { usedBytes: number; freeBytes: number } {
    return { usedBytes: this.#usedBytes, freeBytes: this.#space.measure() };
  }

  /** Measures the free space, which fails when the folder was removed or is no longer mounted. */
  #measureFree(): number {
    const { path, faults, freeBytes = (file) => freeBytesOf(dirname(file)) } = this.#options;
    try {
      return freeBytes(path);
    } catch (error) {
      throw new faults.UnavailableError(`disk of ${this.#file} can't be measured: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }
}

function neededBytes(bytes: number): number {
  return bytes * bytesPerBodyByte + bytesPerBatch;
}
