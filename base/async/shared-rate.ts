import type { Clock } from "./clock.ts";
import { Notifier } from "./notifier.ts";
import type { RateShares } from "./rate-shares.ts";
import { type RateSlot, WindowPacer } from "./window-pacer.ts";

export interface SharedRateOptions {
  readonly shares: RateShares;
  readonly clock: Clock;
  /** Aborted when sending ends. */
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
}

/** A process that dies holds its share for this long and some seconds more. */
const leaseMs = 10_000;
/** How often the share is renewed while requests wait or are sent. */
const periodMs = 500;
/** How often it is renewed while more could be sent than the share allows. */
const wantingPeriodMs = 200;
/** A process that has not sent for this long gives its share back. */
const idleMs = 1_000;
/** The least time between two renewals while responses are awaited. */
const shortestMs = 20;
/** After this time earlier requests no longer count in any window. */
const maxWindowMs = 2_000;
/** The pause after a failure of the store. */
const pauseMs = 1_000;
/** A process that uses less than its share requests its use times this factor. */
const headroom = 1.5;
/** The factor by which the measured use shrinks at each renewal without use. */
const unusedFactor = 0.8;

/** The rate that was last requested from the store. */
interface RequestedRate {
  readonly perSecond: number;
  /** Calls a second; 0 for none. */
  readonly wanted: number;
}

/**
 * This process's part of a rate that several processes use together. It requests a share while it sends, and paces it
 * by the responses to its own requests. The shares never exceed the rate together, and a share shrinks only a second
 * after the responses to what was sent by it, so the rate holds over all processes.
 */
export class SharedRate {
  readonly #options: SharedRateOptions;
  readonly #pacer: WindowPacer;
  readonly #changes: Notifier;
  #working: Promise<void> | undefined;
  #token: string | undefined;
  #requested: RequestedRate = { perSecond: 0, wanted: 0 };
  /** The share, as the store counts it. */
  #held = 0;
  /** The rate of sending; less than `#held` while the rest is being given back. */
  #perSecond = 0;
  /** The number of slots that were given out at a higher rate. */
  #fasterSlots = 0;
  #isShort = false;
  #freeInMs = Number.POSITIVE_INFINITY;
  #lookedMs = 0;
  #usedMs = 0;
  /** The highest rate of requests within the last seconds. */
  #used = 0;

  constructor(options: SharedRateOptions) {
    this.#options = options;
    this.#pacer = new WindowPacer(options);
    this.#changes = new Notifier(options.clock);
  }

  /**
   * Resolves when a request may be sent. Rejects with the reason of a signal, the rate's or its own.
   * @param limit calls a second, over all processes
   */
  take(limit: number, signal?: AbortSignal): Promise<RateSlot> {
    const slot = this.#pacer.take(limit, signal);
    const { perSecond, wanted } = this.#requested;
    if (this.#working === undefined) {
      this.#working = this.#work().finally(() => {
        this.#working = undefined;
      });
    } else if (wanted === 0 || limit < perSecond) this.#changes.notify();
    return slot;
  }

  /** True when no share is held or requested, so that the object may be dropped. */
  get isIdle(): boolean {
    return this.#working === undefined;
  }

  /** Gives the share back. Nothing may be sent after that. */
  async leave(): Promise<void> {
    const { shares, clock, failed } = this.#options;
    this.#changes.notify();
    await this.#working;
    if (this.#token === undefined) return;
    const quietMs = this.#pacer.quietAtMs(this.#pacer.count) - clock.monotonicMs();
    const afterMs = Math.ceil(Math.min(Math.max(0, quietMs), maxWindowMs));
    await shares.leaveRate(this.#token, afterMs).catch(failed);
  }

  /** Renews the share until it is left or sending ends. */
  async #work(): Promise<void> {
    const { signal, failed } = this.#options;
    while (!signal.aborted) {
      let waitMs = pauseMs;
      try {
        await this.#share();
        waitMs = this.#waitMs();
      } catch (error) {
        failed(error);
      }
      if (signal.aborted || (this.#token === undefined && !this.#pacer.isAwaited)) return;
      await this.#changes.wait(waitMs);
    }
  }

  async #share(): Promise<void> {
    const { shares, clock } = this.#options;
    const requestedMs = clock.monotonicMs();
    const requested = this.#nextRequest(requestedMs);
    this.#requested = requested;
    const isQuiet = requestedMs >= this.#pacer.quietAtMs(this.#fasterSlots);
    const held = isQuiet ? this.#perSecond : this.#held;
    const share = await shares.shareRate({ ...requested, token: this.#token, held, leaseMs });
    this.#token = requested.wanted === 0 && share.held === 0 ? undefined : share.token;
    this.#held = share.held;
    const perSecond = Math.min(share.held, share.fair);
    if (perSecond >= this.#perSecond) this.#perSecond = perSecond;
    // One step at a time: a second step would delay the end of the first.
    else if (isQuiet || share.held < this.#perSecond) {
      this.#perSecond = perSecond;
      this.#fasterSlots = this.#pacer.count;
    }
    const ofAll = Math.max(requested.perSecond, share.total);
    this.#freeInMs = share.freeInMs ?? Number.POSITIVE_INFINITY;
    this.#isShort = this.#pacer.isAwaited && (share.held < share.fair || ofAll > requested.perSecond);
    this.#pacer.allow({ perSecond: this.#perSecond, ofAll, untilMs: requestedMs + leaseMs });
  }

  #nextRequest(now: number): RequestedRate {
    const { limits, begun, wasAlwaysAwaited } = this.#pacer.look();
    const passedMs = Math.max(now - this.#lookedMs, wantingPeriodMs);
    this.#lookedMs = now;
    this.#used = Math.max((begun * 1_000) / passedMs, unusedFactor * this.#used);
    const perSecond = limits.length > 0 ? Math.min(...limits) : this.#requested.perSecond;
    if (limits.length > 0 || begun > 0) this.#usedMs = now;
    else if (now - this.#usedMs > idleMs) return { perSecond, wanted: 0 };
    const isShort = limits.length > 0 && (wasAlwaysAwaited || begun === 0);
    const used = Math.max(1, Math.ceil(headroom * this.#used));
    return { perSecond, wanted: isShort ? perSecond : Math.min(perSecond, used) };
  }

  #waitMs(): number {
    if (this.#isShort) return Math.min(wantingPeriodMs, Math.max(shortestMs, this.#freeInMs));
    if (this.#perSecond === this.#held) return periodMs;
    const quietMs = this.#pacer.quietAtMs(this.#fasterSlots) - this.#options.clock.monotonicMs();
    return Math.min(periodMs, Math.max(shortestMs, Math.ceil(quietMs)));
  }
}
