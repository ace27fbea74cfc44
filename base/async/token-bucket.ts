/** Limits how often something may be done, with up to `burst` times at once. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket. It is full at first, and gains `perSecond` tokens in a second up to `burst`. */
export class TokenBucket {
  #tokens: number;
  #filledMs: number;

  /** @param nowMs monotonic milliseconds, as in `waitMs` */
  constructor({ burst }: RateLimit, nowMs: number) {
    this.#tokens = burst;
    this.#filledMs = nowMs;
  }

  /** The milliseconds until there is a token; 0 when there is one. The limit may change from call to call. */
  waitMs({ perSecond, burst }: RateLimit, nowMs: number): number {
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledMs) / 1_000) * perSecond);
    this.#filledMs = nowMs;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / perSecond) * 1_000);
  }

  /** Takes the token that `waitMs` has found. */
  take(): void {
    this.#tokens--;
  }
}
