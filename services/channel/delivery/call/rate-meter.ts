import type { Clock } from "../../../../base/async/clock.ts";

const spanMs = 200;

/** Measures how often something happens, over the last 200 ms or more. */
export class RateMeter {
  readonly #clock: Clock;
  #sinceMs: number;
  #count = 0;
  #perSecond = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonicMs();
  }

  add(): void {
    this.#count++;
  }

  perSecond(): number {
    const passedMs = this.#clock.monotonicMs() - this.#sinceMs;
    if (passedMs < spanMs) return Math.max(this.#perSecond, (this.#count * 1_000) / spanMs);
    this.#perSecond = (this.#count * 1_000) / passedMs;
    this.#sinceMs += passedMs;
    this.#count = 0;
    return this.#perSecond;
  }
}
