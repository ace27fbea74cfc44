import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../../../base/async/clock.ts";

interface Timer {
  readonly atMs: number;
  readonly end: () => void;
}

/** Time that stands still, and jumps from timer to timer when it is run. */
export class TestClock implements Clock {
  ms = 1_700_000_000_000;
  readonly now = (): number => this.ms;
  readonly monotonicMs = (): number => this.ms;
  readonly #timers = new Set<Timer>();
  /** Work outside of the clock that has not ended; time stands still meanwhile. */
  #busy = 0;

  wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer: Timer = {
      atMs: this.ms + Math.max(0, ms),
      end: () => {
        this.#timers.delete(timer);
        signal.removeEventListener("abort", timer.end);
        resolve();
      },
    };
    this.#timers.add(timer);
    signal.addEventListener("abort", timer.end, { once: true });
    if (signal.aborted) timer.end();
    return promise;
  }

  after(ms: number, call: () => void): () => void {
    const cancelled = new AbortController();
    void this.wait(ms, cancelled.signal).then(() => cancelled.signal.aborted || call());
    return () => cancelled.abort();
  }

  /** Counts the calls of an object's async methods as work. */
  watch<T extends object>(object: T): T {
    return new Proxy(object, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...parameters: unknown[]): unknown => this.#count(value.apply(target, parameters));
      },
    });
  }

  /** Lets time go by until the condition holds. */
  async until(isDone: () => unknown): Promise<void> {
    for (;;) {
      await this.#settle();
      if (await isDone()) return;
      this.#jump(Number.POSITIVE_INFINITY);
    }
  }

  /** Lets this much time go by. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.ms + ms;
    await this.#settle();
    while (this.#jump(untilMs)) await this.#settle();
    this.ms = untilMs;
    await this.#settle();
  }

  #count(result: unknown): unknown {
    if (!(result instanceof Promise)) return result;
    this.#busy++;
    return result.finally(() => this.#busy--);
  }

  /** Lets everything happen that happens by itself. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 4; quiet = this.#busy === 0 ? quiet + 1 : 0) await turn();
  }

  #jump(untilMs: number): boolean {
    const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs);
    if (next === undefined || next.atMs > untilMs) return false;
    this.ms = Math.max(this.ms, next.atMs);
    next.end();
    return true;
  }
}
