import type { Inbox } from "../store/inbox/inbox.ts";

/** Retention is counted in hours. */
const intervalMs = 60_000;
/** Pieces of one round; a backlog is worked off in the next ones. */
const maxPieces = 200;

/**
 * Deletes from the inbox what its retention no longer covers, once a minute.
 * @param onError told of each failed round; the next one tries again
 */
export function startUpkeep(inbox: Pick<Inbox, "prune">, onError: (error: unknown) => void): AsyncDisposable {
  const stop = new AbortController();
  let round: Promise<void> | undefined;
  const prune = async (): Promise<void> => {
    for (let piece = 0; piece < maxPieces && !stop.signal.aborted; piece++) {
      const { more } = await inbox.prune();
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
