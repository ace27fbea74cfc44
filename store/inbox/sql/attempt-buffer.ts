import { type AttemptRecord, encodeAttempts } from "../attempts.ts";
import type { SettledItem, StoredAttempts } from "./attempts.ts";

/** The delay of the first attempts of a write. */
const delayMs = 250;
/** Attempts are written without a delay from this size on. */
const maxCharacters = 262_144;
/** What is beyond this while the store is slow or unavailable is not kept. */
const maxWaitingCharacters = 4_194_304;
/** The characters that a row costs besides its content. */
const rowCharacters = 100;

/**
 * Collects attempts of many settlements for one write, since a row in each settlement would slow
 * deliveries by a twentieth. They are not worth waiting for: the end of the process loses those of the
 * last moment, and a failed write those that it contains.
 */
export class AttemptBuffer implements AsyncDisposable {
  readonly #write: (rows: readonly StoredAttempts[]) => Promise<unknown>;
  #rows: StoredAttempts[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #isWriting = false;

  constructor(write: (rows: readonly StoredAttempts[]) => Promise<unknown>) {
    this.#write = write;
  }

  add(item: SettledItem, records: readonly AttemptRecord[] | undefined): void {
    const content = encodeAttempts(records);
    if (content === null || this.#characters + content.length > maxWaitingCharacters) return;
    this.#rows.push({ ...item, content });
    this.#characters += content.length + rowCharacters;
    if (this.#characters >= maxCharacters) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  /** Resolves when the attempts added so far are written, or lost. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#isWriting) await this.#writing;
    if (this.#rows.length === 0) return;
    const rows = this.#rows;
    this.#rows = [];
    this.#characters = 0;
    this.#isWriting = true;
    this.#writing = this.#write(rows)
      .catch(() => {})
      .finally(() => {
        this.#isWriting = false;
      });
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }
}
