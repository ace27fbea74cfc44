/** What can run out of time. */
export interface Expiring {
  /** Milliseconds left. */
  timeoutMs(): number | undefined;
  expire(): void;
}

/**
 * Deadlines that are all as far away when they are set, so that they pass in the
 * order in which they were set and one timer serves them all. A timer for each
 * call costs a small one a twentieth of its time.
 */
export class DeadlineQueue {
  readonly #timeoutMs: number;
  readonly #waiting = new Set<Expiring>();
  #isArmed = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(one: Expiring): void {
    this.#waiting.add(one);
    if (!this.#isArmed) this.#arm(this.#timeoutMs);
  }

  delete(one: Expiring): void {
    this.#waiting.delete(one);
  }

  #arm(ms: number): void {
    this.#isArmed = true;
    setTimeout(sweep, ms, this).unref();
  }

  sweep(): void {
    this.#isArmed = false;
    for (const one of this.#waiting) {
      const left = one.timeoutMs() ?? 0;
      if (left > 0) {
        this.#arm(left);
        return;
      }
      this.#waiting.delete(one);
      one.expire();
    }
  }
}

function sweep(queue: DeadlineQueue): void {
  queue.sweep();
}
