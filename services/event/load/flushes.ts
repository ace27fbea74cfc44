import { untilAborted } from "../../../base/async/abort.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import { comparePlaces } from "./prepared.ts";

/** Waiters for places of the spool to be loaded. */
export interface Flushes {
  /** Resolves when the place is loaded. @throws the reason of the signal */
  add(place: SpoolPlace, signal: AbortSignal): Promise<void>;
  isWaiting(): boolean;
  loaded(to: SpoolPlace): void;
  /** Reports that there is no record between two places. */
  nothingBetween(from: SpoolPlace, to: SpoolPlace): void;
}

export function createFlushes(): Flushes {
  const waiting = new Set<{ readonly place: SpoolPlace; readonly resolve: () => void }>();
  let reached: SpoolPlace | undefined;
  let gap: { readonly from: SpoolPlace; readonly to: SpoolPlace } | undefined;

  function settle(): void {
    if (reached !== undefined && gap !== undefined && comparePlaces(reached, gap.from) >= 0) {
      if (comparePlaces(gap.to, reached) > 0) reached = gap.to;
      gap = undefined;
    }
    for (const one of waiting) {
      if (reached !== undefined && comparePlaces(reached, one.place) >= 0) one.resolve();
    }
  }
  return {
    async add(place, signal) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { place, resolve };
      waiting.add(one);
      settle();
      try {
        await untilAborted(promise, signal);
      } finally {
        waiting.delete(one);
      }
    },
    isWaiting: () => waiting.size > 0,
    loaded(to) {
      if (reached === undefined || comparePlaces(to, reached) > 0) reached = to;
      settle();
    },
    nothingBetween(from, to) {
      gap = { from, to };
      settle();
    },
  };
}
