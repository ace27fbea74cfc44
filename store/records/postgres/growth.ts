import type { Listener } from "../../sql/postgres/listener.ts";
import type { RecordPlace } from "../records.ts";

export interface GrowthOptions {
  readonly listener: Listener;
  readonly project: number;
  readonly pollMs: number;
  /** Reads the end of the records, and passes it to `seen`. */
  readonly look: () => Promise<unknown>;
  /** Tells other processes that there are more records. */
  readonly notify: () => Promise<void>;
}

/** Finds out when a spool has grown, by this process or another one. */
export interface Growth extends AsyncDisposable {
  /** Resolves when further records are on disk, and sometimes without. */
  grown(): Promise<void>;
  /** Reports an end that was read. */
  seen(end: RecordPlace): void;
  /** Reports the end of what this process has written. */
  wrote(end: RecordPlace): void;
}

/**
 * The time between two notifications. A commit which notifies waits for all others that do, so not each
 * append does, and none in its own transaction.
 */
const notifyMs = 50;

export function createGrowth({ listener, project, pollMs, look, notify }: GrowthOptions): Growth {
  let growth = Promise.withResolvers<void>();
  let end: RecordPlace = { number: 0, offset: 0 };
  let listening: Disposable | undefined;
  let polling: NodeJS.Timeout | undefined;
  let notifying: NodeJS.Timeout | undefined;
  let notified: Promise<void> = Promise.resolve();
  let isClosed = false;

  function grow(): void {
    clearTimeout(polling);
    polling = undefined;
    growth.resolve();
    growth = Promise.withResolvers();
  }
  function seen(found: RecordPlace): void {
    const isLater = found.number > end.number || (found.number === end.number && found.offset > end.offset);
    if (!isLater) return;
    end = found;
    grow();
  }
  function poll(): void {
    polling = setTimeout(() => void lookOnce(growth), pollMs);
    polling.unref();
  }
  async function lookOnce(before: typeof growth): Promise<void> {
    polling = undefined;
    // Readers and writers report faults of the database.
    await look().catch(() => {});
    if (growth === before && polling === undefined && !isClosed) poll();
  }
  return {
    seen,
    grown() {
      listening ??= listener.on(`${project}`, grow);
      if (polling === undefined && !isClosed) poll();
      return growth.promise;
    },
    wrote(place) {
      seen(place);
      if (notifying !== undefined || isClosed) return;
      notifying = setTimeout(() => {
        notifying = undefined;
        // A reader which misses it polls.
        notified = notify().catch(() => {});
      }, notifyMs);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      listening?.[Symbol.dispose]();
      clearTimeout(polling);
      const isWaiting = notifying !== undefined;
      clearTimeout(notifying);
      await notified;
      if (isWaiting) await notify().catch(() => {});
    },
  };
}
