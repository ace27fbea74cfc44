import type { Clock } from "./clock.ts";

export interface WindowPacerOptions {
  readonly clock: Clock;
  /** Monotonic; nothing is sent before it. */
  readonly startMs: number;
  readonly signal: AbortSignal;
}

/** The right to send one request now. */
export interface Turn {
  /** The request is answered, or was given up. */
  done(): void;
}

interface Waiter extends PromiseWithResolvers<Turn> {
  readonly perSecond: number;
}

const windowMs = 1_000;
/** A request that is not answered by then is taken to have arrived; what arrives later may be one too many. */
const arrivalMs = 40;
/** How long sending may be held up by answers that are later than that, all in all, and how much of it comes back in a second. */
const maxPatienceMs = 500;
const patiencePerSecondMs = 10;
/** Timers come late: what was to go in the meantime goes at once, but no more than of so long. */
const burstMs = 50;
const firstCapacity = 64;

/**
 * Lets at most so many requests of one channel go in any second, as the receiver
 * counts them: of N + 1 in a row the last goes a second behind the answer to the
 * first, since it is not known when a request arrives, but it has when it is
 * answered. Slow receivers would hold that up, so an answer is waited for as long
 * as patience lasts, and 40 ms otherwise; then at least 95 % of the rate is left.
 * Fresh windows are filled at equal distances, and delays are made up for at twice
 * the rate.
 */
export class WindowPacer {
  readonly #options: WindowPacerOptions;
  readonly #waiting: Waiter[] = [];
  /** When turns began and were done, the latest ones of all; by their number modulo the length. */
  #begun = new Float64Array(firstCapacity);
  #done = new Float64Array(firstCapacity);
  #count = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Before it the next would follow its predecessor too closely. */
  #nextMs: number;
  #patienceMs = maxPatienceMs;
  #refilledMs: number;
  #isHanding = false;
  #wake = (): void => {};

  constructor(options: WindowPacerOptions) {
    this.#options = options;
    this.#refilledMs = options.startMs;
    this.#nextMs = options.startMs;
  }

  /** Resolves when a request may be sent. Rejects with the signal's reason. */
  take(perSecond: number): Promise<Turn> {
    const waiter = { ...Promise.withResolvers<Turn>(), perSecond };
    while (this.#begun.length <= perSecond) this.#grow();
    this.#waiting.push(waiter);
    void this.#hand();
    return waiter.promise;
  }

  /** Whether what it remembers has no effect any more. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#options.clock.monotonic() - this.#lastMs > 2 * windowMs;
  }

  async #hand(): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#isHanding) return;
    this.#isHanding = true;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const { perSecond } = this.#waiting[0]!;
      const now = clock.monotonic();
      const atMs = this.#earliest(perSecond, now);
      if (atMs > now) await this.#sleep(atMs - now);
      else this.#waiting.shift()!.resolve(this.#begin(perSecond, now));
    }
    this.#isHanding = false;
    if (signal.aborted) for (const waiter of this.#waiting.splice(0)) waiter.reject(signal.reason);
  }

  #earliest(perSecond: number, now: number): number {
    this.#patienceMs = Math.min(
      maxPatienceMs,
      this.#patienceMs + ((now - this.#refilledMs) / 1_000) * patiencePerSecondMs,
    );
    this.#refilledMs = now;
    const before = this.#count - perSecond;
    return before < 0 ? this.#nextMs : Math.max(this.#nextMs, this.#arrivedAt(before) + windowMs);
  }

  /** When it is certain, or taken for certain, that the receiver has counted a request. */
  #arrivedAt(number: number): number {
    const assumedMs = this.#begunAt(number) + arrivalMs + Math.max(0, this.#patienceMs);
    return Math.min(assumedMs, this.#done[number % this.#done.length]!);
  }

  #begunAt(number: number): number {
    return this.#begun[number % this.#begun.length]!;
  }

  #begin(perSecond: number, now: number): Turn {
    const before = this.#count - perSecond;
    const isFresh = before < 0 || now - this.#begunAt(before) > 2 * windowMs;
    this.#nextMs = Math.max(this.#nextMs, now - burstMs) + windowMs / perSecond / (isFresh ? 1 : 2);
    if (before >= 0) {
      const waitedMs = Math.min(now, this.#done[before % this.#done.length]! + windowMs);
      const excessMs = waitedMs - (this.#begunAt(before) + windowMs + arrivalMs);
      // Each of a window is late by it, the window as a whole only once.
      this.#patienceMs -= Math.max(0, excessMs) / perSecond;
    }
    const number = this.#count++;
    const place = number % this.#begun.length;
    this.#begun[place] = now;
    this.#done[place] = Number.POSITIVE_INFINITY;
    this.#lastMs = now;
    return { done: () => this.#end(number) };
  }

  #end(number: number): void {
    if (this.#count - number > this.#done.length) return;
    this.#done[number % this.#done.length] = this.#options.clock.monotonic();
    this.#wake();
  }

  #grow(): void {
    const [begun, done] = [this.#begun, this.#done];
    const { length } = begun;
    this.#begun = new Float64Array(2 * length);
    this.#done = new Float64Array(2 * length);
    for (let number = Math.max(0, this.#count - length); number < this.#count; number++) {
      this.#begun[number % (2 * length)] = begun[number % length]!;
      this.#done[number % (2 * length)] = done[number % length]!;
    }
    // What came before is forgotten, and taken to be as late as the first that is not.
    for (let number = Math.max(0, this.#count - 2 * length); number < this.#count - length; number++) {
      this.#begun[number % (2 * length)] = begun[this.#count % length]!;
      this.#done[number % (2 * length)] = done[this.#count % length]!;
    }
  }

  /** Until then, or until a request is done. */
  async #sleep(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#wake = wake;
    const forget = clock.after(Math.max(1, Math.ceil(ms)), wake);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    signal.removeEventListener("abort", wake);
    this.#wake = () => {};
    forget();
  }
}
