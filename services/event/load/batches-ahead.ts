import type { SpoolPlace } from "../../../store/events/events.ts";
import type { WrittenBatch } from "./prepared.ts";

/**
 * Prepares the batch that begins at a place; returns undefined when it was stopped.
 * @param hasEarlier whether an earlier batch waits to be loaded
 */
export type PrepareNext = (from: SpoolPlace, hasEarlier: () => boolean) => Promise<WrittenBatch | undefined>;

/** Batches that are prepared while an earlier one is loaded. */
export interface BatchesAhead {
  /** Returns the next batch; undefined after the last one. @throws the error of preparing it */
  take(): Promise<WrittenBatch | undefined>;
  /** Resolves when nothing is prepared any more. To be called when `prepareNext` is stopped. */
  ended(): Promise<void>;
}

/**
 * Batches that are prepared or in preparation and not taken. With two of them, preparing goes on while the store does
 * more than load one batch, such as writing its log to its file.
 */
const maxAhead = 2;

/** Prepares the batches from a place on, one after the other. */
export function prepareAhead(start: SpoolPlace, prepareNext: PrepareNext): BatchesAhead {
  const ahead: Promise<WrittenBatch | undefined>[] = [];
  let begun = 0;
  let taken = 0;
  /** Where the next batch begins, while none is in preparation. */
  let from: SpoolPlace | undefined = start;
  const fill = (): void => {
    if (from === undefined || ahead.length >= maxAhead) return;
    const number = ++begun;
    const preparing = prepareNext(from, () => number > taken + 1);
    from = undefined;
    ahead.push(preparing);
    preparing.then(
      (batch) => {
        from = batch?.batch.to;
        fill();
      },
      // It is thrown when the batch is taken.
      () => {},
    );
  };
  fill();
  return {
    async take() {
      const batch = await ahead[0];
      ahead.shift();
      taken++;
      fill();
      return batch;
    },
    async ended() {
      for (let last = ahead.shift(); last !== undefined; last = ahead.shift()) await last.catch(() => {});
    },
  };
}
