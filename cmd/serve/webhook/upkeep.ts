/** Retention is counted in hours. */
const intervalMs = 60_000;
/** Pieces of one round; a backlog is worked off in the next ones. */
const maxPieces = 200;

/** A store that deletes a bounded piece at a time of what it no longer keeps. */
export interface Prunable {
  prune(): Promise<{ readonly more: boolean }>;
}

/**
 * Deletes from a store what its retention no longer covers, once a minute.
 * @param onError told of each failed round; the next one tries again
 */
export function startUpkeep(store: Prunable, onError: (error: unknown) => void): AsyncDisposable {
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
