/** Retention is counted in hours, so a minute is often enough. */
const intervalMs = 60_000;
/** Pieces that one round deletes at most; the next round continues with a backlog. */
const maxPieces = 200;

/** A store that deletes what its retention no longer covers, a bounded piece at a time. */
export interface Prunable {
  prune(): Promise<{ readonly more: boolean }>;
}

/**
 * Deletes from a store what its retention no longer covers, once a minute.
 * @param onError called for each failed round; the next round tries again
 */
export function startPruning(store: Prunable, onError: (error: unknown) => void): AsyncDisposable {
  const stop = new AbortController();
  let round: Promise<void> | undefined;
  const prune = async (): Promise<void> => {
    for (let piece = 0; piece < maxPieces && !stop.signal.aborted; piece++) {
      const { more } = await store.prune();
      if (!more) return;
    }
  };
  const timer = setInterval(() => {
    round ??= prune()
      .catch(onError)
      .finally(() => {
        round = undefined;
      });
  }, intervalMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stop.abort();
      await round;
    },
  };
}
