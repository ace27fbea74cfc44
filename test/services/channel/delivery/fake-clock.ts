import type { Clock } from "../../../../services/channel/delivery/clock.ts";

/** A clock that is turned by hand. */
export class FakeClock implements Clock {
  #nowMs = 0;
  #timers: { readonly atMs: number; readonly call: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  after(ms: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, call };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

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

  /** Time passes while nobody can do anything. */
  stall(ms: number): void {
    this.#nowMs += ms;
  }
}

/** Promises that are chained to each other are through. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
