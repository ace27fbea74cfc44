/** Time, as sending needs it. */
export interface Clock {
  /** Milliseconds since 1970, as the store counts them. */
  now(): number;
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): number;
  /** Calls back later; the function answered takes that back. */
  after(ms: number, call: () => void): () => void;
}

/** Longer ones would overflow a timer of Node. */
const maxTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(Math.max(0, ms), maxTimerMs));
    return () => clearTimeout(timer);
  },
};

/** Something that loops wait for: it is rung, or the time is over. One ring wakes all who wait, or the next who does. */
export class Bell {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #isRung = false;

  constructor(clock: Clock) {
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
