import { type Clock, maxTimerMs } from "../../../base/async/clock.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import { comparePlaces } from "./prepared.ts";

export interface BatchStartOptions {
  /** A batch with this many bytes is full. */
  readonly maxBytes: number;
  /** The time between the beginnings of two batches that are not full. */
  readonly batchMs: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export interface WaitingRecords {
  readonly waitingBytes: number;
  /** The end of the records on disk. */
  readonly spoolEnd: SpoolPlace;
  /** Whether an earlier batch waits to be loaded. Then they begin a full batch only. */
  readonly hasEarlier: boolean;
}

/** Time between two checks for a full batch. A notification for each record would slow down accepting it. */
const pollMs = 20;
/** A burst has ended when no record has arrived for this time. */
const quietMs = 60;
/** The end of a burst is loaded early only if it has this part of a full batch: each batch has a cost of its own. */
const burstPart = 1 / 16;

/**
 * Decides when a batch begins: when it is full, when the time since the previous one has passed, or early at the end
 * of a burst. A burst begins with a full batch, or after a pause: when that time passes and no record waits. It ends
 * with an early batch, or with one which began only because the time had passed. So steady load has one early batch at
 * most, or one after each full batch.
 */
export class BatchStart {
  readonly #options: BatchStartOptions;
  /** By the monotonic clock. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** Whether no record waited at the last check. */
  #isEmpty = true;
  /** Whether the waiting records are part of a burst. */
  #isBurst = false;
  #spoolEnd: SpoolPlace = { number: 0, offset: 0 };
  #grownMs = 0;

  constructor(options: BatchStartOptions) {
    this.#options = options;
  }

  /** Returns the time until the next check, in ms; 0 when the batch begins. */
  waitMs({ waitingBytes, spoolEnd, hasEarlier }: WaitingRecords): number {
    const { maxBytes, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (comparePlaces(spoolEnd, this.#spoolEnd) !== 0) this.#grownMs = nowMs;
    this.#spoolEnd = spoolEnd;
    if (waitingBytes === 0) {
      this.#isEmpty = true;
      return maxTimerMs;
    }
    const isFull = waitingBytes >= maxBytes;
    const isDue = nowMs >= this.#nextMs;
    if (hasEarlier && !isFull) {
      this.#isEmpty &&= isDue;
      return pollMs;
    }
    if (isFull || isDue) this.#isBurst = isFull || this.#isEmpty;
    this.#isEmpty = false;
    if (isFull || isDue) return 0;
    const isLarge = waitingBytes >= maxBytes * burstPart;
    if (this.#isBurst && isLarge && nowMs - this.#grownMs >= quietMs) {
      this.#isBurst = false;
      return 0;
    }
    return Math.min(this.#nextMs - nowMs, pollMs);
  }

  begun(): void {
    this.#nextMs = this.#options.clock.monotonicMs() + this.#options.batchMs;
  }
}
