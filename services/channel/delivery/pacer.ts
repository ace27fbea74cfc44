import type { SharedSlots } from "../../../store/channels/channels.ts";
import type { Clock } from "./clock.ts";

export interface PacerOptions {
  readonly slots: SharedSlots;
  readonly clock: Clock;
  readonly channelId: string;
  readonly perSecond: number;
  readonly signal: AbortSignal;
}

/** A moment to send at. */
export interface Slot {
  /** By the monotonic clock; who is later must take another. */
  readonly latestMs: number;
}

/**
 * How late a request may be. Slots are that much more than a second apart, so
 * that even then no window of a second holds more than the limit; it costs 4 %
 * of the rate.
 */
const slackMs = 40;
/** Slots that are asked for at a time, in seconds of the rate: they are lost when the process ends. */
const aheadSeconds = 0.2;

/** Hands out the slots of one channel that this process reserves, at their time and in order. */
export class Pacer {
  readonly #options: PacerOptions;
  readonly #waiting: PromiseWithResolvers<Slot>[] = [];
  readonly #slots: { readonly earliestMs: number; readonly latestMs: number }[] = [];
  #isReserving = false;
  #isHanding = false;

  constructor(options: PacerOptions) {
    this.#options = options;
  }

  /** Resolves when it may be sent. Rejects with the signal's reason, or what the store failed with. */
  take(): Promise<Slot> {
    const waiter = Promise.withResolvers<Slot>();
    this.#waiting.push(waiter);
    this.#work();
    return waiter.promise;
  }

  #work(): void {
    void this.#reserve();
    void this.#hand();
  }

  async #reserve(): Promise<void> {
    const { slots, clock, channelId, perSecond, signal } = this.#options;
    const most = Math.max(1, Math.ceil(perSecond * aheadSeconds));
    const missing = Math.min(this.#waiting.length - this.#slots.length, most - this.#slots.length);
    if (this.#isReserving || missing <= 0) return;
    this.#isReserving = true;
    try {
      const called = clock.monotonic();
      const request = { channelId, count: missing, perSecond, windowMs: 1_000 + slackMs };
      const { delaysMs, retryAfterMs } = await slots.reserve(request, { signal });
      const answered = clock.monotonic();
      for (const delay of delaysMs) {
        this.#slots.push({ earliestMs: answered + delay, latestMs: called + delay + slackMs });
      }
      if (delaysMs.length === 0) await this.#sleep(retryAfterMs);
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    }
    this.#isReserving = false;
    this.#work();
  }

  async #hand(): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#isHanding) return;
    this.#isHanding = true;
    while (this.#slots.length > 0 && this.#waiting.length > 0) {
      const { earliestMs, latestMs } = this.#slots.shift()!;
      // A timer may be a part of a millisecond early.
      while (clock.monotonic() < earliestMs && !signal.aborted) {
        await this.#sleep(Math.ceil(earliestMs - clock.monotonic()));
      }
      if (signal.aborted) for (const waiter of this.#waiting.splice(0)) waiter.reject(signal.reason);
      else if (clock.monotonic() <= latestMs) this.#waiting.shift()?.resolve({ latestMs });
      void this.#reserve();
    }
    this.#isHanding = false;
  }

  async #sleep(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const forget = clock.after(Math.max(1, ms), wake);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    signal.removeEventListener("abort", wake);
    forget();
  }
}
