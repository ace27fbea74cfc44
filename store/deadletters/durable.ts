import { open } from "node:fs/promises";
import {
  type DeadLetter,
  type DeadLetterObserver,
  type DeadLetters,
  encodeDeadLetter,
} from "./deadletters.ts";
import { openNdjsonDeadLetters } from "./ndjson.ts";
import { openPostgresDeadLetters, type PostgresDeadLettersOptions } from "./postgres/open.ts";

/** Stores dead letters of which none may be lost, one at a time. */
export interface DurableDeadLetters extends AsyncDisposable {
  /**
   * Resolves when the whole dead letter is on disk, however long that takes.
   * @throws Error when the store is closed before
   */
  keep(deadLetter: DeadLetter): Promise<void>;
}

type Observer = Pick<DeadLetterObserver, "failed" | "resumed">;

interface CommonOptions {
  readonly observer: Observer;
  /** The pause before a failed write is tried again. */
  readonly retryMs?: number;
}

export interface DurableDeadLettersOptions extends CommonOptions {
  readonly file: string;
}

export type DurablePostgresOptions = CommonOptions &
  Pick<PostgresDeadLettersOptions, "connection" | "schema" | "list">;

/** Files of 64 MiB, of which 1,000 are kept. */
const limits = { maxBytes: 64 * 2 ** 20, keepFiles: 1_000 };

export function openDurableDeadLetters({
  file,
  observer,
  ...options
}: DurableDeadLettersOptions): DurableDeadLetters {
  const open = (all: DeadLetterObserver): DeadLetters =>
    openNdjsonDeadLetters({ ...limits, ...options, file, observer: all });
  return keepOneByOne(open, observer, file, () => syncFile(file));
}

/** A commit of the database is on disk. */
export function openDurablePostgresDeadLetters({
  observer,
  ...options
}: DurablePostgresOptions): DurableDeadLetters {
  const open = (all: DeadLetterObserver): DeadLetters =>
    openPostgresDeadLetters({ ...limits, ...options, observer: all });
  return keepOneByOne(open, observer, "the database", async () => {});
}

function keepOneByOne(
  open: (observer: DeadLetterObserver) => DeadLetters,
  observer: Observer,
  place: string,
  sync: () => Promise<void>,
): DurableDeadLetters {
  let waiting: PromiseWithResolvers<void> | undefined;
  const deadLetters = open({
    ...observer,
    written: () => waiting?.resolve(),
    dropped: () => waiting?.reject(new Error(`the dead letter could not be written to ${place}`)),
  });
  return {
    async keep(deadLetter) {
      waiting = Promise.withResolvers();
      const ndjson = Buffer.from(encodeDeadLetter(deadLetter, Number.POSITIVE_INFINITY));
      deadLetters.append({ count: 1, ndjson });
      await waiting.promise;
      await sync();
    },
    [Symbol.asyncDispose]: () => deadLetters[Symbol.asyncDispose](),
  };
}

/** Rotated files were synced when they were closed. */
async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, "r");
  await handle.sync();
}
