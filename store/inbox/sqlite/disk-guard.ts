import { InboxFullError, InboxUnavailableError } from "../inbox.ts";

export interface DiskGuardOptions {
  readonly path: string;
  /** No batch is taken when less is free. */
  readonly minFreeBytes: number;
  /** No batch is taken when the inbox uses more; null: no cap. */
  readonly maxBytes: number | null;
  /** What the log may still take up when it is copied into the database. */
  readonly maxWalBytes: number;
  /** Bytes a process without privileges may still write to the disk of a path. */
  readonly freeBytes: (path: string) => number;
}

/** Free space is asked for at most this often; in between it is reckoned. */
const LOOK_MS = 100;
/** A body goes to the log and to the database, with what belongs to it. */
const BYTES_PER_BODY_BYTE = 2.5;
const BYTES_PER_BATCH = 32_768;

/** Says no before the disk does. */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  #usedBytes = 0;
  #freeBytes = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
  }

  /** @throws InboxFullError, saying what is short; InboxUnavailableError where the disk can't be asked. */
  admit(bodyBytes: number): void {
    const { path, minFreeBytes, maxBytes, maxWalBytes } = this.#options;
    if (maxBytes !== null && this.#usedBytes + bodyBytes > maxBytes) {
      throw new InboxFullError(
        `inbox file "${path}" uses ${this.#usedBytes} bytes, at most ${maxBytes} are allowed`,
      );
    }
    const neededBytes = bodyBytes * BYTES_PER_BODY_BYTE + BYTES_PER_BATCH;
    const freeBytes = this.#free() - maxWalBytes;
    if (freeBytes - neededBytes < minFreeBytes) {
      const words = `disk of inbox file "${path}" has ${Math.max(0, freeBytes)} bytes free beside its log`;
      throw new InboxFullError(`${words}, at least ${minFreeBytes} must stay`);
    }
    if (bodyBytes > 0) this.#freeBytes -= neededBytes;
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
    if (nowMs - this.#lookedAtMs >= LOOK_MS) {
      this.#freeBytes = this.#look();
      this.#lookedAtMs = nowMs;
    }
    return this.#freeBytes;
  }

  /** It can't be asked once the folder is gone, removed or no longer mounted. */
  #look(): number {
    const { path, freeBytes } = this.#options;
    try {
      return freeBytes(path);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new InboxUnavailableError(`disk of inbox file "${path}" can't be asked: ${why}`, {
        cause: error,
      });
    }
  }
}
