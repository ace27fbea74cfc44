import { type Clock, maxTimerMs } from "../../../base/async/clock.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import { comparePlaces } from "./prepared.ts";

export interface BatchStartOptions {
  /** A batch with this many bytes is full. */
  readonly maxBytes: number;
  /** A batch of a burst begins with this many bytes. If it is `maxBytes`, no batch begins early within a burst. */
  readonly burstBytes: number;
  /** The time between the beginnings of two batches that are not full. */
  readonly batchMs: number;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export interface WaitingRecords {
  readonly waitingBytes: number;
  /** The end of the records on disk. */
  readonly spoolEnd: SpoolPlace;
  /** Whether further records are being written. */
  readonly isWriting: boolean;
  /** Whether an earlier batch waits to be loaded. Then they begin a full batch only. */
  readonly hasEarlier: boolean;
}

/** Time between two checks for a full batch. A notification for each record would slow down accepting it. */
const pollMs = 20;
/** A burst has ended when no record has arrived for this time. */
const quietMs = 60;
/** Records come in a burst when a full batch of them comes within this time. */
const burstMs = 1_000;
/** The end of a burst is loaded early only if it has this part of a batch of it: each batch has a cost of its own. */
const endPart = 1 / 16;

/**
 * Decides when a batch begins: when it is full, when the time since the previous one has passed, or early in a burst.
 *
 * A burst is recognized by the rate of its records since the last batch began, or begins after a pause: when that time
 * passes and no record waits. While it has the rate, each batch begins with `burstBytes`. Its end is loaded when no
 * record arrives any more. So steady load of a lower rate has one early batch at most, and load of that rate no more
 * than one for each `burstBytes` and an end.
 */
export class BatchStart {
  readonly #options: BatchStartOptions;
  /** By the monotonic clock. */
  #begunMs = Number.NEGATIVE_INFINITY;
  /** Whether no record waited at the last check. */
  #isEmpty = true;
  /** Whether the waiting records are part of a burst. */
  #isBurst = false;
  /** Whether the burst ends where the records on disk ended at the last check. */
  #isEnded = false;
  #spoolEnd: SpoolPlace = { number: 0, offset: 0 };
  #grownMs = 0;

  constructor(options: BatchStartOptions) {
    this.#options = options;
  }

  /** Returns the time until the next check, in ms; 0 when the batch begins. */
  waitMs({ waitingBytes, spoolEnd, isWriting, hasEarlier }: WaitingRecords): number {
    const { maxBytes, burstBytes, batchMs, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const isGrown = comparePlaces(spoolEnd, this.#spoolEnd) !== 0;
    this.#spoolEnd = spoolEnd;
    if (isGrown || isWriting) this.#grownMs = nowMs;
    if (isGrown && this.#isEnded) this.#isBurst = this.#isEnded = false;
    if (waitingBytes === 0) {
      this.#isEmpty = true;
      return maxTimerMs;
    }
    const begunForMs = nowMs - this.#begunMs;
    const isFull = waitingBytes >= maxBytes;
    const isDue = begunForMs >= batchMs;
    if (hasEarlier && !isFull) {
      this.#isEmpty &&= isDue;
      return pollMs;
    }
    const isFast = waitingBytes >= Math.max(burstBytes, (maxBytes * begunForMs) / burstMs);
    if (isFull || isFast || isDue) {
      this.#isBurst = isFull || isFast || this.#isEmpty;
      this.#isEnded = this.#isEmpty = false;
      return 0;
    }
    this.#isEmpty = false;
    const isEnd = waitingBytes >= burstBytes * endPart && nowMs - this.#grownMs >= quietMs;
    if (this.#isBurst && isEnd) {
      // It may need several batches, as each has lines of one file.
      this.#isEnded = true;
      return 0;
    }
    return Math.min(batchMs - begunForMs, pollMs);
  }

  begun(): void {
    this.#begunMs = this.#options.clock.monotonicMs();
  }
}
