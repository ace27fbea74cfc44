import type { Clock } from "../../../../base/async/clock.ts";

/** Aborts calls that take too long. One timer serves all calls, since hardly any of them takes so long. */
export class Deadlines {
  readonly #clock: Clock;
  /** Monotonic times, by what ends a call. */
  readonly #atMs = new Map<AbortController, number>();
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts a call when this time is over, with a TimeoutError. */
  add(ending: AbortController, ms: number): void {
    const atMs = this.#clock.monotonicMs() + ms;
    this.#atMs.set(ending, atMs);
    if (this.#timer === undefined || atMs < this.#timer.atMs) this.#wakeAt(atMs);
  }

  /** To be called when the call has ended. */
  delete(ending: AbortController): void {
    this.#atMs.delete(ending);
    if (this.#atMs.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wakeAt(atMs: number): void {
    this.#timer?.cancel();
    const cancel = this.#clock.after(atMs - this.#clock.monotonicMs(), () => this.#expire());
    this.#timer = { atMs, cancel };
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [ending, atMs] of this.#atMs) {
      if (atMs > now) nextMs = Math.min(nextMs, atMs);
      else {
        this.#atMs.delete(ending);
        ending.abort(new DOMException("no response in time", "TimeoutError"));
      }
    }
    if (this.#atMs.size > 0) this.#wakeAt(nextMs);
  }
}
