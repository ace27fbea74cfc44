import type { Clock } from "../../../base/async/clock.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import { type Lease, LeaseLostError } from "../leases.ts";

export interface HeldLeaseOptions {
  readonly name: string;
  readonly token: number;
  readonly leaseMs: number;
  /** When the lease was asked for, by the monotonic clock: before the database read its own. */
  readonly askedMs: number;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  /** Resolves to false when another process has acquired the lease. */
  readonly renew: () => Promise<boolean>;
  /** Called once: when the lease is lost, or is to be released. */
  readonly ended: (isReleased: boolean) => Promise<void>;
}

/** The part of its time after which a lease is renewed, and after which a failed renewal is tried again. */
const renewalPart = 1 / 3;
const retryPart = 1 / 10;
/**
 * The process gives a lease up a tenth of its time before it ends in the database: for the drift of the
 * clocks, and for what is in progress.
 */
const ownPart = 0.9;

/** A lease which is renewed until it is lost or released. */
export class HeldLease implements Lease {
  readonly name: string;
  readonly token: number;
  readonly signal: AbortSignal;
  readonly #options: HeldLeaseOptions;
  readonly #controller = new AbortController();
  /** The end of the lease, by the monotonic clock. */
  #endMs: number;
  #failure: unknown;
  #cancelRenewal = (): void => {};
  #cancelEnd = (): void => {};
  #releasing: Promise<void> | undefined;

  constructor(options: HeldLeaseOptions) {
    this.name = options.name;
    this.token = options.token;
    this.signal = this.#controller.signal;
    this.#options = options;
    this.#endMs = this.#endOf(options.askedMs);
    this.#watch();
    if (!this.signal.aborted) this.#renewAfter(renewalPart);
  }

  throwIfLost(): void {
    this.#endInTime();
    this.signal.throwIfAborted();
  }

  async release(): Promise<void> {
    if (!this.signal.aborted) {
      this.#abort("was released");
      this.#releasing = this.#options.ended(true);
    }
    await this.#releasing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  #endOf(askedMs: number): number {
    return askedMs + this.#options.leaseMs * ownPart;
  }

  #endInTime(): void {
    if (this.signal.aborted || this.#options.clock.monotonicMs() < this.#endMs) return;
    const why = this.#failure === undefined ? "" : `: ${errorMessage(this.#failure)}`;
    this.#lose(`was not renewed in time${why}`);
  }

  /** Checks the end of the lease when it comes. */
  #watch(): void {
    this.#endInTime();
    if (this.signal.aborted) return;
    const { clock } = this.#options;
    this.#cancelEnd = clock.after(this.#endMs - clock.monotonicMs(), () => this.#watch());
  }

  #renewAfter(part: number): void {
    const { clock, leaseMs } = this.#options;
    this.#cancelRenewal = clock.after(leaseMs * part, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const askedMs = this.#options.clock.monotonicMs();
    try {
      this.#renewed(await this.#options.renew(), askedMs);
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    }
    if (!this.signal.aborted) this.#renewAfter(this.#failure === undefined ? renewalPart : retryPart);
  }

  #renewed(isCurrent: boolean, askedMs: number): void {
    // A reply after the end is too late.
    this.#endInTime();
    if (this.signal.aborted) return;
    if (isCurrent) this.#endMs = this.#endOf(askedMs);
    else this.#lose("was acquired by another process");
  }

  #lose(words: string): void {
    this.#abort(words);
    void this.#options.ended(false);
  }

  #abort(words: string): void {
    this.#cancelRenewal();
    this.#cancelEnd();
    this.#controller.abort(new LeaseLostError(`lease "${this.name}" with token ${this.token} ${words}`));
  }
}
