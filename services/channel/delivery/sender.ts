import type { Exchange } from "../exchange.ts";
import { Bell } from "./clock.ts";
import { Lane, type LaneOptions } from "./lane.ts";
import { LeaseKeeper } from "./leases.ts";
import { RunBook } from "./run-book.ts";
import { Settler } from "./settler.ts";
import { WindowPacer } from "./window-pacer.ts";

export interface OpenedExchange extends Disposable {
  readonly exchange: Exchange;
}

export type SenderOptions = Pick<
  LaneOptions,
  "store" | "clock" | "observer" | "owner" | "leaseMs" | "maxInFlight" | "pollMs"
> & {
  /** Calls one URL over connections that are kept. */
  readonly openExchange: (url: string) => OpenedExchange;
};

/** A process before this one may have sent until it ended: nothing is in a window with its last request. */
const quietMs = 1_100;

/** Sends the batches of all channels until it is stopped. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #stopping = new AbortController();
  readonly #bell: Bell;
  readonly #leases: LeaseKeeper;
  readonly #settler: Settler;
  readonly #lanes = new Map<string, { readonly lane: Lane; readonly ended: Promise<void> }>();
  readonly #runs: RunBook;
  readonly #exchanges = new Map<string, OpenedExchange>();
  readonly #pacers = new Map<string, WindowPacer>();
  readonly #startMs: number;

  constructor(options: SenderOptions) {
    const { store, clock, leaseMs, observer } = options;
    this.#options = options;
    this.#startMs = clock.monotonic() + (store.slots === null ? quietMs : 0);
    this.#bell = new Bell(clock);
    this.#runs = new RunBook(store, clock);
    const failed = (what: string) => (error: unknown) => observer.failed(what, error);
    this.#leases = new LeaseKeeper({ store, clock, leaseMs, failed: failed("prolong leases") });
    this.#settler = new Settler({ store, clock, failed: failed("settle batches") });
  }

  /** There may be something to send. */
  wake(): void {
    for (const { lane } of this.#lanes.values()) lane.wake();
    this.#bell.ring();
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
      this.#forgetPacers();
      if (!this.#stopping.signal.aborted) await this.#bell.wait(waitMs);
    }
    await Promise.all([...this.#lanes.values()].map(({ ended }) => ended));
    await this.#leases.giveBack().catch((error: unknown) => observer.failed("give leases back", error));
    for (const open of this.#exchanges.values()) open[Symbol.dispose]();
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopping.abort(new Error("stopping"));
    this.wake();
  }

  /** Breaks off what is under way; it is sent again by whoever comes next. */
  abort(): void {
    this.#settler.stop();
    this.#leases.abort(new Error("stopping"));
  }

  #open(channelId: string): void {
    if (this.#lanes.has(channelId)) return;
    const lane = new Lane(channelId, {
      ...this.#options,
      ...{ leases: this.#leases, settler: this.#settler, stopping: this.#stopping.signal },
      pacer: this.#pacerOf(channelId),
      runs: this.#runs,
      exchangeTo: (url) => this.#exchangeTo(url),
    });
    const ended = lane.run().finally(() => {
      this.#lanes.delete(channelId);
      if (this.#lanes.size === 0) this.#closeExchanges();
      this.#bell.ring();
    });
    this.#lanes.set(channelId, { lane, ended });
  }

  #pacerOf(channelId: string): WindowPacer {
    const { clock } = this.#options;
    const known = this.#pacers.get(channelId);
    const pacer = known ?? new WindowPacer({ clock, startMs: this.#startMs, signal: this.#stopping.signal });
    this.#pacers.set(channelId, pacer);
    return pacer;
  }

  #forgetPacers(): void {
    for (const [channelId, pacer] of this.#pacers) {
      if (pacer.isIdle && !this.#lanes.has(channelId)) this.#pacers.delete(channelId);
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
