import { open } from "node:fs/promises";
import { type DeadLetter, type DeadLetterObserver, encodeDeadLetter } from "./deadletters.ts";
import { openNdjsonDeadLetters } from "./ndjson.ts";

/** Stores dead letters of which none may be lost, one at a time. */
export interface DurableDeadLetters extends AsyncDisposable {
  /**
   * Resolves when the whole dead letter is on disk, however long that takes.
   * @throws Error when the store is closed before
   */
  keep(deadLetter: DeadLetter): Promise<void>;
}

export interface DurableDeadLettersOptions {
  readonly file: string;
  readonly observer: Pick<DeadLetterObserver, "failed" | "resumed">;
  /** The pause before a failed write is tried again. */
  readonly retryMs?: number;
}

/** Files of 64 MiB, of which 1,000 are kept. */
const maxBytes = 64 * 2 ** 20;
const keepFiles = 1_000;

export function openDurableDeadLetters({
  file,
  observer,
  retryMs,
}: DurableDeadLettersOptions): DurableDeadLetters {
  let waiting: PromiseWithResolvers<void> | undefined;
  const deadLetters = openNdjsonDeadLetters({
    file,
    maxBytes,
    keepFiles,
    ...(retryMs !== undefined && { retryMs }),
    observer: {
      ...observer,
      written: () => waiting?.resolve(),
      dropped: () => waiting?.reject(new Error(`the dead letter could not be written to ${file}`)),
    },
  });
  return {
    async keep(deadLetter) {
      waiting = Promise.withResolvers();
      const ndjson = Buffer.from(encodeDeadLetter(deadLetter, Number.POSITIVE_INFINITY));
      deadLetters.append({ count: 1, ndjson });
      await waiting.promise;
      // Rotated files were synced when they were closed.
      await using handle = await open(file, "r");
      await handle.sync();
    },
    [Symbol.asyncDispose]: () => deadLetters[Symbol.asyncDispose](),
  };
}
