import type { Clock } from "./clock.ts";

/** A signal that loops wait for with a timeout. One `ring` wakes all that wait, or else the next that waits. */
export class Bell {
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Set<() => void>();
  #isRung = false;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  ring(): void {
    if (this.#waiting.size === 0) this.#isRung = true;
    for (const wake of [...this.#waiting]) wake();
  }

  async wait(ms: number): Promise<void> {
    if (this.#isRung) {
      this.#isRung = false;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const forget = this.#clock.after(ms, resolve);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    forget();
  }
}
