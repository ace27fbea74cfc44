/** While this many wait, no further call begins; at most this many are sent again after a crash. */
const maxAnswered = 90;

/** Answers of a target that wait for their commit: if the process ends before it, their messages are sent again. */
export class AnsweredMessages {
  readonly #waiting = new Set<() => void>();
  #count = 0;

  get isFull(): boolean {
    return this.#count >= maxAnswered;
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

  /** Resolves once there is room for more, or the signal is aborted. */
  async untilRoom(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      this.#waiting.delete(resolve);
    }
  }
}
