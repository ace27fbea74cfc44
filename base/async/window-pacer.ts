import type { Clock } from "./clock.ts";

export interface WindowPacerOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What this process may send. */
export interface Allowance {
  /** Requests in a second; 0: none. */
  readonly perSecond: number;
  /** What all processes together may send: who asks for less has to wait for another allowance. */
  readonly ofAll: number;
  /** Monotonic; then it is over. */
  readonly untilMs: number;
}

/** The right to send one request. */
export interface Turn {
  /** It is sent now. False: the allowance is over, another turn has to be taken. */
  begin(): boolean;
  /** The request is answered, or was given up; a turn that was not begun is given back. */
  done(): void;
}

export interface PacerUse {
  /** Of those who wait now. */
  readonly limits: readonly number[];
  readonly turns: number;
  /** Whether a caller was waiting at every moment. */
  readonly wasAlwaysAwaited: boolean;
}

interface Waiter extends PromiseWithResolvers<Turn> {
  readonly limit: number;
}

export const windowMs = 1_000;
/** A request that is not answered by then is taken to have arrived; what arrives later may be one too many. */
const arrivalMs = 40;
/** How long sending may be held up by answers that are later than that, all in all, and how much of it comes back in a second. */
const maxPatienceMs = 500;
const patiencePerSecondMs = 10;
/** What is handed to another process waits longer for answers: it is handed seldom. */
const quietPatienceMs = 1_000;
/** How often it is checked, while requests are under way, whether the process was held up. */
const beatMs = 50;
/** A look that comes later than this was held up, and so may be what was to be sent. */
const stallMs = 100;
/** Timers come late: what was to go in the meantime goes at once, but no more than would have gone in this time. */
const burstMs = 50;
const firstCapacity = 64;
const none: Allowance = { perSecond: 0, ofAll: 0, untilMs: Number.NEGATIVE_INFINITY };

/**
 * Lets at most N requests go in any second, as the receiver
 * counts them: of N + 1 in a row the last goes a second after the answer to the
 * first, since it is not known when a request arrives, but it has when it is
 * answered. Slow receivers would hold that up, so an answer is waited for as long
 * as patience lasts, and 40 ms otherwise; then at least 95 % of the rate is left.
 * Fresh windows are filled at equal distances, and delays are made up for at twice
 * the rate.
 */
export class WindowPacer {
  readonly #options: WindowPacerOptions;
  readonly #waiting: Waiter[] = [];
  #allowance = none;
  /** Another one is not a continuation of the one before, which was over. */
  #allowances = 0;
  /**
   * When turns were begun and done, the latest ones of all; by their number modulo
   * the length. Infinite: not yet; given back: done before all times.
   */
  #begun = new Float64Array(firstCapacity);
  #done = new Float64Array(firstCapacity);
  #count = 0;
  #looked = 0;
  #wasFree = true;
  /** Before it the next would follow its predecessor too closely. */
  #nextMs = Number.NEGATIVE_INFINITY;
  #patienceMs = maxPatienceMs;
  #refilledMs: number;
  #isHanding = false;
  /** Turns that are begun and not done. */
  #underWay = 0;
  /** When it was last looked whether the process stands still; undefined while nothing is under way. */
  #beatAtMs: number | undefined;
  #wake = (): void => {};

  constructor(options: WindowPacerOptions) {
    this.#options = options;
    this.#refilledMs = options.clock.monotonicMs();
  }

  /** From now on; what was sent before counts. */
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
   * @param limit requests in a second, of all processes
   */
  take(limit: number, signal?: AbortSignal): Promise<Turn> {
    const waiter = { ...Promise.withResolvers<Turn>(), limit };
    this.#waiting.push(waiter);
    void this.#hand();
    if (signal === undefined) return waiter.promise;
    const drop = (): void => this.#drop(waiter, signal.reason);
    signal.addEventListener("abort", drop);
    // The signal may outlive the request by far.
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

  /** Turns so far. */
  get count(): number {
    return this.#count;
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** What was going on since this was last asked. */
  look(): PacerUse {
    const limits = this.#waiting.map(({ limit }) => limit);
    const use = { limits, turns: this.#count - this.#looked, wasAlwaysAwaited: !this.#wasFree };
    this.#looked = this.#count;
    this.#wasFree = limits.length === 0;
    return use;
  }

  /** The time from which on none of the first `count` turns is in a window; infinite while one has not begun. */
  quietAtMs(count: number): number {
    let arrivedMs = Number.NEGATIVE_INFINITY;
    for (let number = Math.max(0, this.#count - this.#done.length); number < count; number++) {
      const place = number % this.#done.length;
      const assumedMs = this.#begun[place]! + quietPatienceMs;
      arrivedMs = Math.max(arrivedMs, Math.min(this.#done[place]!, assumedMs));
    }
    return arrivedMs + windowMs;
  }

  async #hand(): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#isHanding) return;
    this.#isHanding = true;
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
    const place = number % this.#done.length;
    const assumedMs = this.#begun[place]! + arrivalMs + Math.max(0, this.#patienceMs);
    return Math.min(assumedMs, this.#done[place]!);
  }

  #next(perSecond: number, now: number): Turn {
    const before = this.#count - perSecond;
    const placeBefore = before % this.#done.length;
    const isFresh = before < 0 || now - this.#begun[placeBefore]! > 2 * windowMs;
    this.#nextMs = Math.max(this.#nextMs, now - burstMs) + windowMs / perSecond / (isFresh ? 1 : 2);
    if (before >= 0) {
      const waitedMs = Math.min(now, this.#done[placeBefore]! + windowMs);
      const excessMs = waitedMs - (this.#begun[placeBefore]! + windowMs + arrivalMs);
      // Each of a window is late by it, the window as a whole only once.
      this.#patienceMs -= Math.max(0, excessMs) / perSecond;
    }
    const number = this.#count++;
    const place = number % this.#done.length;
    this.#begun[place] = Number.POSITIVE_INFINITY;
    this.#done[place] = Number.POSITIVE_INFINITY;
    return this.#turn(number);
  }

  #turn(number: number): Turn {
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
        if (this.#beatAtMs === undefined) this.#beat();
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

  /** Looks again and again while something is under way. */
  #beat(): void {
    const { clock, signal } = this.#options;
    const now = clock.monotonicMs();
    this.#noticeStall(now);
    this.#beatAtMs = this.#underWay === 0 || signal.aborted ? undefined : now;
    if (this.#beatAtMs !== undefined) clock.after(beatMs, () => this.#beat());
  }

  /**
   * What was begun before the process stood still may not have left it by then, so it
   * counts from when the process goes on.
   */
  #noticeStall(now: number): void {
    if (this.#beatAtMs === undefined || now - this.#beatAtMs <= beatMs + stallMs) return;
    this.#beatAtMs = now;
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
      // What came before is forgotten, and taken to be as late as the first that is not.
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
    const forget = ms === Number.POSITIVE_INFINITY ? () => {} : clock.after(Math.max(1, Math.ceil(ms)), wake);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    signal.removeEventListener("abort", wake);
    this.#wake = () => {};
    forget();
  }
}
