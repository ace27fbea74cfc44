import type { Clock } from "../../../base/async/clock.ts";
import type { ChannelStore, LeasedBatch } from "../../../store/channels/channels.ts";

/** A batch that this process may send. */
export interface HeldBatch {
  readonly batch: LeasedBatch;
  /** Aborted when somebody else may have it, or the process has to end. */
  readonly signal: AbortSignal;
}

export interface LeaseKeeperOptions {
  readonly store: Pick<ChannelStore, "extendBatches">;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly failed: (error: unknown) => void;
}

interface Lease {
  readonly controller: AbortController;
  /** By the monotonic clock, from before it was asked for: the store's end is not earlier. */
  untilMs: number;
}

/** The lease has been lost while the batch was under way. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/**
 * Prolongs the leases of batches from when they are leased until they are
 * settled, a third of a lease after the last time, so that the timeout of a
 * request may be of any length. An attempt is broken off a sixth of a lease
 * before its batch could be somebody else's: never are two under way.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #held = new Map<string, Lease>();
  #forget: (() => void) | undefined;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  /** @param askedMs monotonic time from before the batch was asked for */
  hold(batch: LeasedBatch, askedMs: number): HeldBatch {
    const controller = new AbortController();
    this.#held.set(batch.token, { controller, untilMs: askedMs + this.#options.leaseMs });
    this.#plan();
    return { batch, signal: controller.signal };
  }

  /** It is settled. */
  drop(token: string): void {
    this.#held.delete(token);
    if (this.#held.size > 0) return;
    this.#forget?.();
    this.#forget = undefined;
  }

  /** Breaks all attempts off. */
  abort(reason: Error): void {
    for (const { controller } of this.#held.values()) controller.abort(reason);
  }

  /** Lets others have what was broken off, at once; what was begun of it counts as an attempt. */
  async giveBack(): Promise<void> {
    const tokens = [...this.#held.keys()];
    this.#held.clear();
    this.#forget?.();
    if (tokens.length > 0) await this.#options.store.extendBatches(tokens, 1);
  }

  #plan(): void {
    const { clock, leaseMs } = this.#options;
    this.#forget ??= clock.after(leaseMs / 6, () => {
      this.#forget = undefined;
      if (this.#held.size === 0) return;
      void this.#prolong().finally(() => this.#held.size > 0 && this.#plan());
      this.#plan();
    });
  }

  async #prolong(): Promise<void> {
    const { store, clock, leaseMs, failed } = this.#options;
    this.#breakOff(clock.monotonicMs() + leaseMs / 6);
    const asked = clock.monotonicMs();
    const due = [...this.#held].filter(([, { untilMs }]) => untilMs - asked < (2 / 3) * leaseMs + 1);
    if (due.length === 0) return;
    try {
      const tokens = due.map(([token]) => token);
      const lost = new Set(await store.extendBatches(tokens, leaseMs));
      for (const [token, lease] of due) {
        if (lost.has(token)) this.#lose(token, lease);
        else lease.untilMs = asked + leaseMs;
      }
    } catch (error) {
      failed(error);
    }
  }

  #breakOff(beforeMs: number): void {
    for (const [token, lease] of this.#held) if (lease.untilMs <= beforeMs) this.#lose(token, lease);
  }

  #lose(token: string, { controller }: Lease): void {
    // It may have been settled in the meantime.
    if (this.#held.delete(token)) controller.abort(new LeaseLostError("the lease of the batch has ended"));
  }
}
