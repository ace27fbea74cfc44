import type { Clock } from "../../../base/async/clock.ts";
import type { ChannelStore, LeasedBatch } from "../../../store/channels/channels.ts";

/** A batch whose lease this process has. */
export interface HeldBatch {
  readonly batch: LeasedBatch;
  /**
   * Ends the attempt. Aborted when the lease is lost or the process must end, or by the attempt when its time is over:
   * a batch has one attempt in a lease.
   */
  readonly ending: AbortController;
}

export interface LeaseKeeperOptions {
  readonly store: Pick<ChannelStore, "extendBatches">;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly failed: (error: unknown) => void;
}

interface Lease {
  readonly ending: AbortController;
  /**
   * Monotonic time of its end, counted from before the request, so that the lease in the store does not end earlier.
   */
  untilMs: number;
}

/** The lease was lost while the batch was in flight. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/**
 * Extends the leases of batches until they are settled, each time after a third of the lease, so that the timeout of a
 * request may have any length. An attempt is aborted a sixth of a lease before its lease ends, so that two attempts of
 * a batch are never in flight at a time.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #held = new Map<string, Lease>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  /** Starts to extend the lease of a batch. @param requestedMs monotonic time before the request for the lease */
  hold(batch: LeasedBatch, requestedMs: number): HeldBatch {
    const ending = new AbortController();
    this.#held.set(batch.token, { ending, untilMs: requestedMs + this.#options.leaseMs });
    this.#plan();
    return { batch, ending };
  }

  /** Stops to extend a lease, because its batch is settled. */
  drop(token: string): void {
    this.#held.delete(token);
    if (this.#held.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Aborts all attempts. */
  abort(reason: Error): void {
    for (const { ending } of this.#held.values()) ending.abort(reason);
  }

  /** Ends the leases of aborted attempts at once. Attempts that were marked count. */
  async release(): Promise<void> {
    const tokens = [...this.#held.keys()];
    this.#held.clear();
    this.#cancelTimer?.();
    if (tokens.length > 0) await this.#options.store.extendBatches(tokens, 1);
  }

  #plan(): void {
    const { clock, leaseMs } = this.#options;
    this.#cancelTimer ??= clock.after(leaseMs / 6, () => {
      this.#cancelTimer = undefined;
      if (this.#held.size === 0) return;
      void this.#extend().finally(() => this.#held.size > 0 && this.#plan());
      this.#plan();
    });
  }

  async #extend(): Promise<void> {
    const { store, clock, leaseMs, failed } = this.#options;
    this.#abortEnding(clock.monotonicMs() + leaseMs / 6);
    const requestedMs = clock.monotonicMs();
    const due = [...this.#held].filter(([, { untilMs }]) => untilMs - requestedMs < (2 / 3) * leaseMs + 1);
    if (due.length === 0) return;
    try {
      const tokens = due.map(([token]) => token);
      const lost = new Set(await store.extendBatches(tokens, leaseMs));
      for (const [token, lease] of due) {
        if (lost.has(token)) this.#lose(token, lease);
        else lease.untilMs = requestedMs + leaseMs;
      }
    } catch (error) {
      failed(error);
    }
  }

  #abortEnding(beforeMs: number): void {
    for (const [token, lease] of this.#held) if (lease.untilMs <= beforeMs) this.#lose(token, lease);
  }

  #lose(token: string, { ending }: Lease): void {
    // The batch may have been settled meanwhile.
    if (this.#held.delete(token)) ending.abort(new LeaseLostError("the lease of the batch has ended"));
  }
}
