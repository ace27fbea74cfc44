import { type Clock, createWait } from "../../../base/async/clock.ts";

/** A clock that is turned by hand. */
export class FakeClock implements Clock {
  #nowMs = 0;
  #setByMs = 0;
  #timers: { readonly atMs: number; readonly call: () => void }[] = [];

  now(): number {
    return this.#nowMs + this.#setByMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** The number of timers that wait. */
  get timers(): number {
    return this.#timers.length;
  }

  after(ms: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  readonly wait = createWait((ms, call) => this.after(ms, call));

  /** Calls what is due on the way, and lets what follows from it be done. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (;;) {
      const [next] = this.#timers.toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > endMs) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.call();
      await settled();
    }
    this.#nowMs = endMs;
  }

  /** Sets the computer's clock forward, or back by a negative number. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  /** Lets time pass without running timers, as in a stall of the process. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }
}

/** Promises that are chained to each other are through. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
