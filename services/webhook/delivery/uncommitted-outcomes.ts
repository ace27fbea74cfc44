import { untilAborted } from "../../../base/async/abort.ts";

/** No call begins while this many outcomes wait for a commit, so that a crash repeats at most this many messages. */
const maxUncommitted = 90;

/** Counts the outcomes of a target that wait for their commit; a crash before it repeats their messages. */
export class UncommittedOutcomes {
  readonly #waiting = new Set<() => void>();
  #count = 0;

  get isFull(): boolean {
    return this.#count >= maxUncommitted;
  }

  add(count: number): void {
    this.#count += count;
  }

  settled(count: number): void {
    this.#count -= count;
    if (this.isFull) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  /** Resolves when the count is below the limit, or the signal is aborted. */
  async untilRoom(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await Promise.allSettled([untilAborted(promise, signal)]);
      this.#waiting.delete(resolve);
    }
  }
}
