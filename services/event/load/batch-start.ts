import { type Clock, maxTimerMs } from "../../../base/async/clock.ts";

export interface BatchStartOptions {
  /** A batch with this many bytes is full. */
  readonly maxBytes: number;
  /** The time between the beginnings of two batches that are not full. */
  readonly batchMs: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Time between two checks for a full batch. A notification for each record would slow down accepting it. */
const pollMs = 20;
/** When no record has arrived for this time, a burst has ended. */
const quietMs = 60;
/** The end of a burst is loaded at once if it has this part of a full batch: each batch has a cost of its own. */
const burstPart = 1 / 16;

/**
 * Decides when a batch begins: when it is full, when the time since the previous one has passed, or once within that
 * time at the end of a burst.
 */
export class BatchStart {
  readonly #options: BatchStartOptions;
  /** By the monotonic clock. */
  #nextMs = Number.NEGATIVE_INFINITY;
  #nextBurstMs = Number.NEGATIVE_INFINITY;
  #waitingBytes = 0;
  #grownMs = 0;

  constructor(options: BatchStartOptions) {
    this.#options = options;
  }

  /** Returns the time until the next check, in ms; 0 when the batch begins. */
  waitMs(waitingBytes: number): number {
    const { maxBytes, batchMs, clock } = this.#options;
    if (waitingBytes === 0) return maxTimerMs;
    const nowMs = clock.monotonicMs();
    if (waitingBytes !== this.#waitingBytes) this.#grownMs = nowMs;
    this.#waitingBytes = waitingBytes;
    if (waitingBytes >= maxBytes || nowMs >= this.#nextMs) return 0;
    const isBurst = waitingBytes >= maxBytes * burstPart && nowMs >= this.#nextBurstMs;
    if (isBurst && nowMs - this.#grownMs >= quietMs) {
      this.#nextBurstMs = nowMs + batchMs;
      return 0;
    }
    return Math.min(this.#nextMs - nowMs, pollMs);
  }

  begun(): void {
    this.#nextMs = this.#options.clock.monotonicMs() + this.#options.batchMs;
    this.#waitingBytes = 0;
  }
}
