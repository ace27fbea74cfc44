import type { Clock } from "./clock.ts";

/**
 * Wakes loops that wait for work or for a time. A notification ends all waits; when
 * nothing waits, it ends the next wait at once.
 */
export class Notifier {
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Set<() => void>();
  #isNotified = false;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  notify(): void {
    if (this.#waiting.size === 0) this.#isNotified = true;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves with the next notification, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (this.#isNotified) {
      this.#isNotified = false;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(ms, resolve);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    cancel();
  }
}
