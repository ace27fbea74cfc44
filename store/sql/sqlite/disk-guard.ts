import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, type StoreFaults } from "../faults.ts";

export interface DiskGuardOptions {
  readonly path: string;
  readonly faults: StoreFaults;
  /** Nothing is taken when less is free. */
  readonly minFreeBytes: number;
  /** Nothing is taken when the store uses more; null: no cap. */
  readonly maxBytes: number | null;
  /** What the log may still take up when it is copied into the database. */
  readonly maxWalBytes: number;
  /** Bytes a process without privileges may still write to the disk of a path. */
  readonly freeBytes?: ((path: string) => number) | undefined;
}

/** Free space is asked for at most this often; in between it is reckoned. */
const lookMs = 100;
/** A body goes to the log and to the database, with what belongs to it. */
const bytesPerBodyByte = 2.5;
const bytesPerBatch = 32_768;

/** Says no before the disk does. */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #file: string;
  #usedBytes = 0;
  #freeBytes = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
    this.#file = `${options.faults.noun} file "${options.path}"`;
  }

  /** @throws FullError of the store, saying what is short; UnavailableError where the disk can't be asked. */
  check(bytes: number): void {
    const { faults, minFreeBytes, maxBytes, maxWalBytes } = this.#options;
    if (maxBytes !== null && this.#usedBytes + bytes > maxBytes) {
      throw new faults.FullError(
        `${this.#file} uses ${this.#usedBytes} bytes, at most ${maxBytes} are allowed`,
      );
    }
    const freeBytes = this.#free() - maxWalBytes;
    if (freeBytes - neededBytes(bytes) < minFreeBytes) {
      const words = `disk of ${this.#file} has ${Math.max(0, freeBytes)} bytes free beside its log`;
      throw new faults.FullError(`${words}, at least ${minFreeBytes} must stay`);
    }
  }

  /** As `check`, and reckons with what will be written. */
  admit(bytes: number): void {
    this.check(bytes);
    this.#freeBytes -= neededBytes(bytes);
  }

  noteUsed(bytes: number): void {
    this.#usedBytes = bytes;
  }

  measure(): { usedBytes: number; freeBytes: number } {
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    return { usedBytes: this.#usedBytes, freeBytes: this.#free() };
  }

  #free(): number {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs >= lookMs) {
      this.#freeBytes = this.#look();
      this.#lookedAtMs = nowMs;
    }
    return this.#freeBytes;
  }

  /** It can't be asked once the folder is gone, removed or no longer mounted. */
  #look(): number {
    const { path, faults, freeBytes = freeBytesOf } = this.#options;
    try {
      return freeBytes(path);
    } catch (error) {
      throw new faults.UnavailableError(`disk of ${this.#file} can't be asked: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

function neededBytes(bytes: number): number {
  return bytes * bytesPerBodyByte + bytesPerBatch;
}

function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}
