import { randomFillSync } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A file that only takes up room. On a full disk its removal lets settlements
 * and pruning go on, which need some bytes of log before they free any.
 */
export class DiskReserve {
  readonly #path: string;
  readonly #bytes: number;
  #isKept = false;

  constructor(databasePath: string, bytes: number) {
    this.#path = `${databasePath}.reserve`;
    this.#bytes = bytes;
  }

  /** Writes the file when the disk has twice its room. False: not now. */
  keep(): boolean {
    if (this.#isKept || this.#bytes === 0) return true;
    try {
      this.#isKept = this.#isWritten() || (this.#hasRoom() && this.#write());
    } catch {
      this.release();
    }
    return this.#isKept;
  }

  /** Gives the room back. */
  release(): void {
    this.#isKept = false;
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
    // Random, since a file system that compresses would keep zeros in no room at all.
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
