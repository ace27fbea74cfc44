import { Notifier } from "../../../base/async/notifier.ts";
import { SharedRate } from "../../../base/async/shared-rate.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { AttemptMarker } from "./attempt-marker.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import { LeaseKeeper } from "./leases.ts";
import { RunPlans } from "./run-plans.ts";
import { Settler } from "./settler.ts";

export interface OpenedExchange extends Disposable {
  readonly exchange: Exchange;
}

export type SenderOptions = Pick<
  LaneOptions,
  "store" | "clock" | "observer" | "owner" | "leaseMs" | "maxInFlight" | "pollMs" | "tracer"
> & {
  /** Opens kept connections to one URL. */
  readonly openExchange: (url: string) => OpenedExchange;
};

/** Sends the batches of all channels until it is stopped. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #stopping = new AbortController();
  readonly #changes: Notifier;
  readonly #leases: LeaseKeeper;
  readonly #marker: AttemptMarker;
  readonly #settler: Settler;
  readonly #lanes = new Map<string, { readonly lane: Lane; readonly ended: Promise<void> }>();
  readonly #runs: RunPlans;
  readonly #exchanges = new Map<string, OpenedExchange>();
  readonly #rates = new Map<string, SharedRate>();

  constructor(options: SenderOptions) {
    const { store, clock, leaseMs, observer } = options;
    this.#options = options;
    this.#changes = new Notifier(clock);
    this.#runs = new RunPlans(store, clock);
    const failed = (what: string) => (error: unknown) => observer.failed(what, error);
    this.#leases = new LeaseKeeper({ store, clock, leaseMs, failed: failed("extend leases") });
    this.#marker = new AttemptMarker(store);
    this.#settler = new Settler({ store, clock, failed: failed("settle batches") });
  }

  /** Looks for batches at once. */
  wake(): void {
    for (const { lane } of this.#lanes.values()) lane.wake();
    this.#changes.notify();
  }

  /** Resolves when it has stopped. */
  async run(): Promise<void> {
    const { store, observer, pollMs } = this.#options;
    while (!this.#stopping.signal.aborted) {
      let waitMs = pollMs;
      try {
        for (const { channelId, dueInMs } of await store.busyChannels()) {
          if (dueInMs === 0) this.#open(channelId);
          else waitMs = Math.min(waitMs, dueInMs);
        }
      } catch (error) {
        observer.failed("look for batches", error);
      }
      this.#deleteIdleRates();
      if (!this.#stopping.signal.aborted) await this.#changes.wait(waitMs);
    }
    await Promise.all([...this.#lanes.values()].map(({ ended }) => ended));
    await Promise.all([...this.#rates.values()].map((rate) => rate.leave()));
    await this.#leases.release().catch((error: unknown) => observer.failed("return leases", error));
    for (const open of this.#exchanges.values()) open[Symbol.dispose]();
  }

  /** Starts no further requests. */
  stop(): void {
    this.#stopping.abort(new Error("stopping"));
    this.wake();
  }

  /** Aborts requests in flight; another process sends their batches again. */
  abort(): void {
    this.#settler.stop();
    this.#leases.abort(new Error("stopping"));
  }

  #open(channelId: string): void {
    if (this.#lanes.has(channelId)) return;
    const lane = new Lane(channelId, {
      ...this.#options,
      leases: this.#leases,
      marker: this.#marker,
      settler: this.#settler,
      stopping: this.#stopping.signal,
      rate: this.#rateOf(channelId),
      runs: this.#runs,
      exchangeTo: (url) => this.#exchangeTo(url),
    });
    const ended = lane.run().finally(() => {
      this.#lanes.delete(channelId);
      if (this.#lanes.size === 0) this.#closeExchanges();
      this.#changes.notify();
    });
    this.#lanes.set(channelId, { lane, ended });
  }

  #rateOf(channelId: string): SharedRate {
    const { store, clock, observer } = this.#options;
    const rate =
      this.#rates.get(channelId) ??
      new SharedRate({
        shares: {
          shareRate: (request) => store.shareRate({ ...request, channelId }),
          leaveRate: (token, afterMs) => store.leaveRate(channelId, token, afterMs),
        },
        clock,
        signal: this.#stopping.signal,
        failed: (error) => observer.failed("share a rate", error),
      });
    this.#rates.set(channelId, rate);
    return rate;
  }

  #deleteIdleRates(): void {
    for (const [channelId, rate] of this.#rates) {
      if (rate.isIdle && !this.#lanes.has(channelId)) this.#rates.delete(channelId);
    }
  }

  #closeExchanges(): void {
    for (const open of this.#exchanges.values()) open[Symbol.dispose]();
    this.#exchanges.clear();
  }

  #exchangeTo(url: string): Exchange {
    const known = this.#exchanges.get(url) ?? this.#options.openExchange(url);
    this.#exchanges.set(url, known);
    return known.exchange;
  }
}
