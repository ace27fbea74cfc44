import { randomFillSync } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A file which only occupies disk space. On a full disk its removal lets settlements and pruning
 * continue, which need some bytes of log before they free any.
 */
export class DiskReserve {
  readonly #path: string;
  readonly #bytes: number;
  #isAllocated = false;

  constructor(databasePath: string, bytes: number) {
    this.#path = `${databasePath}.reserve`;
    this.#bytes = bytes;
  }

  /** Writes the file when the disk has twice its size free. Returns false when it has not. */
  allocate(): boolean {
    if (this.#isAllocated || this.#bytes === 0) return true;
    try {
      this.#isAllocated = this.#isWritten() || (this.#hasRoom() && this.#write());
    } catch {
      this.release();
    }
    return this.#isAllocated;
  }

  /** Deletes the file. */
  release(): void {
    this.#isAllocated = false;
    rmSync(this.#path, { force: true });
  }

  #isWritten(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.size === this.#bytes;
  }

  #hasRoom(): boolean {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize > this.#bytes * 2;
  }

  #write(): boolean {
    // Random bytes, since a file system with compression would store zeros in almost no space.
    const block = randomFillSync(Buffer.alloc(Math.min(this.#bytes, 1_048_576)));
    const file = openSync(this.#path, "w", 0o600);
    try {
      for (let left = this.#bytes; left > 0; left -= block.length) {
        writeSync(file, block, 0, Math.min(left, block.length));
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return true;
  }
}
