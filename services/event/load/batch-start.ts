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
/** The end of a burst is loaded early only if this part of `burstBytes` waits: each batch has a cost of its own. */
const endPart = 1 / 16;

/**
 * Decides when a batch begins: when it is full, `batchMs` after the previous one began, or earlier in a burst.
 *
 * A burst begins with a full batch, with records at a rate that fills one within `burstMs`, or with the first records
 * after a pause of `batchMs`. At that rate, a batch begins with `burstBytes`. The rest of a burst is loaded when no
 * record has arrived for `quietMs`. So steady load of a lower rate has at most one early batch.
 */
export class BatchStart {
  readonly #options: BatchStartOptions;
  /** By the monotonic clock. */
  #begunMs = Number.NEGATIVE_INFINITY;
  /** Whether no record waited at the last check. */
  #isEmpty = true;
  /** "ended" if the burst ends where the records on disk ended at the last check. */
  #burst: "none" | "running" | "ended" = "none";
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
    if (isGrown && this.#burst === "ended") this.#burst = "none";
    if (waitingBytes === 0) {
      this.#isEmpty = true;
      return maxTimerMs;
    }
    const begunForMs = nowMs - this.#begunMs;
    const isFull = waitingBytes >= maxBytes;
    const isDue = begunForMs >= batchMs;
    if (hasEarlier && !isFull) {
      // There was no pause if records come before the time has passed.
      this.#isEmpty &&= isDue;
      return pollMs;
    }
    const isFast = waitingBytes >= Math.max(burstBytes, (maxBytes * begunForMs) / burstMs);
    if (isFull || isFast || isDue) {
      this.#burst = isFull || isFast || this.#isEmpty ? "running" : "none";
      this.#isEmpty = false;
      return 0;
    }
    this.#isEmpty = false;
    const isEnd = waitingBytes >= burstBytes * endPart && nowMs - this.#grownMs >= quietMs;
    if (this.#burst !== "none" && isEnd) {
      // It may need several batches, as each has lines of one file.
      this.#burst = "ended";
      return 0;
    }
    return Math.min(batchMs - begunForMs, pollMs);
  }

  begun(): void {
    this.#begunMs = this.#options.clock.monotonicMs();
  }
}
