import type { NameRoom } from "./record.ts";

/** Names are kept for good, and each takes memory: what may be new to a project. */
export interface NameLimits {
  /** Names of events that it may have; what is beyond it at the start stays. */
  readonly maxEventNames: number;
  /** New names of events and properties within a minute of one app id. */
  readonly maxNewNamesPerMinute: number;
}

/** By app id: new names of the last minute that brought one. */
export type NameRates = ReadonlyMap<string, NameRate>;

export interface NameRate {
  /** Counted from 1970. */
  readonly minute: number;
  readonly names: number;
}

export interface NameBookOptions {
  readonly limits: NameLimits | undefined;
  readonly rates: NameRates | undefined;
  readonly hasEvent: (name: string) => boolean;
  /** How many names of events the project has. */
  readonly eventCount: () => number;
}

const minuteMs = 60_000;
const noLimits: NameLimits = {
  maxEventNames: Number.POSITIVE_INFINITY,
  maxNewNamesPerMinute: Number.POSITIVE_INFINITY,
};

/** What new names a project may get, record after record. */
export class NameBook implements NameRoom {
  readonly hasEvent: (name: string) => boolean;
  readonly #eventCount: () => number;
  readonly #limits: NameLimits;
  readonly #rates: Map<string, NameRate>;
  #appid: string | undefined;
  #minute = 0;

  constructor({ limits = noLimits, rates, hasEvent, eventCount }: NameBookOptions) {
    this.hasEvent = hasEvent;
    this.#eventCount = eventCount;
    this.#limits = limits;
    this.#rates = new Map(rates);
  }

  /** Whose records come next. Without an app id they come from the operator, who may name what he wants. */
  begin(appid: string | undefined, steadyMs: number): void {
    this.#appid = appid;
    // Records that were received at the same time may come in another order.
    this.#minute = Math.max(Math.floor(steadyMs / minuteMs), this.#rateOf(appid).minute);
  }

  get eventRoom(): number {
    return this.#limits.maxEventNames - this.#eventCount();
  }

  get rateRoom(): number {
    if (this.#appid === undefined) return Number.POSITIVE_INFINITY;
    const { minute, names } = this.#rateOf(this.#appid);
    return this.#limits.maxNewNamesPerMinute - (minute === this.#minute ? names : 0);
  }

  /** A name has been made for a record. */
  add(): void {
    if (this.#appid === undefined) return;
    const { minute, names } = this.#rateOf(this.#appid);
    const before = minute === this.#minute ? names : 0;
    this.#rates.set(this.#appid, { minute: this.#minute, names: before + 1 });
  }

  rates(): NameRates {
    return new Map(this.#rates);
  }

  #rateOf(appid: string | undefined): NameRate {
    return (appid === undefined ? undefined : this.#rates.get(appid)) ?? noRate;
  }
}

const noRate: NameRate = { minute: 0, names: 0 };
