import type { Clock } from "./clock.ts";

export interface WindowPacerOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The rate at which this process may send. */
export interface Allowance {
  /** Requests a second; 0 for none. */
  readonly perSecond: number;
  /** The rate of all processes together. A request with a lower limit waits for another allowance. */
  readonly ofAll: number;
  /** The end of the allowance, in monotonic milliseconds. */
  readonly untilMs: number;
}

/** The right to send one request. */
export interface RateSlot {
  /** Marks the request as sent now. Returns false if the allowance has ended; then take another slot. */
  begin(): boolean;
  /** Marks the request as finished, with a response or without. A slot that was not begun is returned. */
  done(): void;
}

export interface PacerUse {
  /** The limits of the requests that wait now. */
  readonly limits: readonly number[];
  readonly begun: number;
  /** True if a request was waiting the whole time. */
  readonly wasAlwaysAwaited: boolean;
}

interface Waiter extends PromiseWithResolvers<RateSlot> {
  readonly limit: number;
}

export const windowMs = 1_000;
/** A request without a response counts as arrived after this time. If it arrives later, the limit may be exceeded. */
const arrivalMs = 40;
/** The total time for which later responses may delay sending, and how much of it is regained in a second. */
const maxDelayBudgetMs = 500;
const delayBudgetPerSecondMs = 10;
/** Responses are awaited for this time before a share goes to another process. It is long because that is rare. */
const maxArrivalMs = 1_000;
/** How often the pacer checks for a stall of the process while requests are in flight. */
const stallCheckMs = 50;
/** A check that is later than this shows a stall, which may have delayed requests too. */
const stallMs = 100;
/** Timers fire late: requests that are due by then are sent at once, but no more than fit into this time. */
const burstMs = 50;
const firstCapacity = 64;
const none: Allowance = { perSecond: 0, ofAll: 0, untilMs: Number.NEGATIVE_INFINITY };

/**
 * Sends at most N requests in any second, as the receiver counts them: a request is sent a second after the response to
 * the request N before it. It is unknown when a request arrives, but it has arrived when its response does. Slow
 * receivers would delay sending, so a response is awaited while the delay budget lasts, and for 40 ms otherwise; at
 * least 95 % of the rate is reached. Fresh windows are filled at equal distances, and delays are made up for at twice
 * the rate.
 *
 * See docs/decisions/0031-rate-at-the-receiver.md.
 */
export class WindowPacer {
  readonly #options: WindowPacerOptions;
  readonly #waiting: Waiter[] = [];
  #allowance = none;
  /** The number of allowances that did not continue the previous one. */
  #allowances = 0;
  /**
   * The times at which the latest slots were begun and done, by their number modulo the length. Infinity means not yet;
   * minus infinity means that the slot was returned.
   */
  #begun = new Float64Array(firstCapacity);
  #done = new Float64Array(firstCapacity);
  #count = 0;
  #looked = 0;
  #wasFree = true;
  /** The earliest time of the next request, by the distance to the previous one. */
  #nextMs = Number.NEGATIVE_INFINITY;
  #delayBudgetMs = maxDelayBudgetMs;
  #refilledMs: number;
  #isAssigning = false;
  /** The number of slots that are begun and not done. */
  #underWay = 0;
  /** The time of the last check for a stall; undefined while nothing is in flight. */
  #stallCheckedMs: number | undefined;
  #wake = (): void => {};

  constructor(options: WindowPacerOptions) {
    this.#options = options;
    this.#refilledMs = options.clock.monotonicMs();
  }

  /** Sets the allowance from now on. Earlier requests still count. */
  allow(allowance: Allowance): void {
    const now = this.#options.clock.monotonicMs();
    if (now >= this.#allowance.untilMs) this.#allowances++;
    if (now >= this.#allowance.untilMs || this.#allowance.perSecond === 0) {
      this.#nextMs = Math.max(this.#nextMs, now);
    }
    this.#allowance = allowance;
    while (this.#done.length <= allowance.perSecond) this.#grow();
    this.#wake();
  }

  /**
   * Resolves when a request may be sent. Rejects with the reason of a signal, the pacer's or its own.
   * @param limit requests a second, over all processes
   */
  take(limit: number, signal?: AbortSignal): Promise<RateSlot> {
    const waiter = { ...Promise.withResolvers<RateSlot>(), limit };
    this.#waiting.push(waiter);
    void this.#assignSlots();
    if (signal === undefined) return waiter.promise;
    const drop = (): void => this.#drop(waiter, signal.reason);
    signal.addEventListener("abort", drop);
    // The signal may outlive the request.
    return waiter.promise.finally(() => signal.removeEventListener("abort", drop));
  }

  #drop(waiter: Waiter, reason: unknown): void {
    const at = this.#waiting.indexOf(waiter);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    this.#wasFree ||= this.#waiting.length === 0;
    waiter.reject(reason);
    this.#wake();
  }

  /** The number of slots so far. */
  get count(): number {
    return this.#count;
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Returns the use since the last call. */
  look(): PacerUse {
    const limits = this.#waiting.map(({ limit }) => limit);
    const use = { limits, begun: this.#count - this.#looked, wasAlwaysAwaited: !this.#wasFree };
    this.#looked = this.#count;
    this.#wasFree = limits.length === 0;
    return use;
  }

  /** Returns the time from which none of the first `count` slots is in a window; infinite while one has not begun. */
  quietAtMs(count: number): number {
    let arrivedMs = Number.NEGATIVE_INFINITY;
    for (let number = Math.max(0, this.#count - this.#done.length); number < count; number++) {
      const place = number % this.#done.length;
      const assumedMs = this.#begun[place]! + maxArrivalMs;
      arrivedMs = Math.max(arrivedMs, Math.min(this.#done[place]!, assumedMs));
    }
    return arrivedMs + windowMs;
  }

  async #assignSlots(): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#isAssigning) return;
    this.#isAssigning = true;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const now = clock.monotonicMs();
      this.#noticeStall(now);
      const { perSecond, ofAll, untilMs } = this.#allowance;
      const isAllowed = perSecond > 0 && ofAll <= this.#waiting[0]!.limit && now < untilMs;
      const atMs = isAllowed ? this.#earliest(perSecond, now) : Number.POSITIVE_INFINITY;
      if (atMs > now) await this.#sleep(atMs - now);
      else {
        this.#waiting.shift()!.resolve(this.#next(perSecond, now));
        this.#wasFree ||= this.#waiting.length === 0;
      }
    }
    this.#isAssigning = false;
    if (signal.aborted) for (const waiter of this.#waiting.splice(0)) waiter.reject(signal.reason);
  }

  #earliest(perSecond: number, now: number): number {
    this.#delayBudgetMs = Math.min(
      maxDelayBudgetMs,
      this.#delayBudgetMs + ((now - this.#refilledMs) / 1_000) * delayBudgetPerSecondMs,
    );
    this.#refilledMs = now;
    const before = this.#count - perSecond;
    return before < 0 ? this.#nextMs : Math.max(this.#nextMs, this.#arrivedAt(before) + windowMs);
  }

  /** Returns the time at which the receiver has counted a request, known or assumed. */
  #arrivedAt(number: number): number {
    const place = number % this.#done.length;
    const assumedMs = this.#begun[place]! + arrivalMs + Math.max(0, this.#delayBudgetMs);
    return Math.min(assumedMs, this.#done[place]!);
  }

  #next(perSecond: number, now: number): RateSlot {
    const before = this.#count - perSecond;
    const placeBefore = before % this.#done.length;
    const isFresh = before < 0 || now - this.#begun[placeBefore]! > 2 * windowMs;
    this.#nextMs = Math.max(this.#nextMs, now - burstMs) + windowMs / perSecond / (isFresh ? 1 : 2);
    if (before >= 0) {
      const waitedMs = Math.min(now, this.#done[placeBefore]! + windowMs);
      const excessMs = waitedMs - (this.#begun[placeBefore]! + windowMs + arrivalMs);
      // Each request of a window is late by this, the window as a whole only once.
      this.#delayBudgetMs -= Math.max(0, excessMs) / perSecond;
    }
    const number = this.#count++;
    const place = number % this.#done.length;
    this.#begun[place] = Number.POSITIVE_INFINITY;
    this.#done[place] = Number.POSITIVE_INFINITY;
    return this.#slot(number);
  }

  #slot(number: number): RateSlot {
    const { clock } = this.#options;
    const allowances = this.#allowances;
    let isBegun = false;
    return {
      begin: () => {
        const now = clock.monotonicMs();
        this.#noticeStall(now);
        if (now >= this.#allowance.untilMs || allowances !== this.#allowances) return false;
        isBegun = true;
        this.#note(this.#begun, number, now);
        this.#underWay++;
        if (this.#stallCheckedMs === undefined) this.#checkForStalls();
        return true;
      },
      done: () => {
        const now = clock.monotonicMs();
        this.#noticeStall(now);
        if (isBegun) this.#underWay--;
        if (!isBegun) this.#nextMs = Math.min(this.#nextMs, now);
        this.#note(this.#done, number, isBegun ? now : Number.NEGATIVE_INFINITY);
      },
    };
  }

  /** Checks for stalls while requests are in flight. */
  #checkForStalls(): void {
    const { clock, signal } = this.#options;
    const now = clock.monotonicMs();
    this.#noticeStall(now);
    this.#stallCheckedMs = this.#underWay === 0 || signal.aborted ? undefined : now;
    if (this.#stallCheckedMs !== undefined) clock.after(stallCheckMs, () => this.#checkForStalls());
  }

  /**
   * Requests that were begun before a stall may not have been sent then, so they count from the end of the stall.
   */
  #noticeStall(now: number): void {
    if (this.#stallCheckedMs === undefined || now - this.#stallCheckedMs <= stallCheckMs + stallMs) return;
    this.#stallCheckedMs = now;
    for (let number = Math.max(0, this.#count - this.#done.length); number < this.#count; number++) {
      const place = number % this.#done.length;
      const isUnderWay = this.#done[place] === Number.POSITIVE_INFINITY && this.#begun[place]! < now;
      if (isUnderWay) this.#begun[place] = now;
    }
  }

  #note(times: Float64Array, number: number, atMs: number): void {
    if (this.#count - number > times.length) return;
    times[number % times.length] = atMs;
    this.#wake();
  }

  #grow(): void {
    const { length } = this.#done;
    const grown = (times: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(2 * length);
      for (let number = Math.max(0, this.#count - length); number < this.#count; number++) {
        larger[number % (2 * length)] = times[number % length]!;
      }
      // Older slots are unknown and count as late as the oldest known one.
      for (let number = Math.max(0, this.#count - 2 * length); number < this.#count - length; number++) {
        larger[number % (2 * length)] = times[this.#count % length]!;
      }
      return larger;
    };
    this.#begun = grown(this.#begun);
    this.#done = grown(this.#done);
  }

  /** Resolves after `ms`, or when something changes. */
  async #sleep(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#wake = wake;
    const cancelTimer =
      ms === Number.POSITIVE_INFINITY ? () => {} : clock.after(Math.max(1, Math.ceil(ms)), wake);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    signal.removeEventListener("abort", wake);
    this.#wake = () => {};
    cancelTimer();
  }
}
