import type { Clock } from "./clock.ts";

/** Something that loops wait for: it is rung, or the time is over. One ring wakes all who wait, or the next who does. */
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
