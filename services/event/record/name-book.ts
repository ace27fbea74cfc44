import type { NameRoom } from "./record.ts";

/** Limits of new names of a project, since names are never deleted and take memory. */
export interface NameLimits {
  /** Number of event names; existing ones beyond it stay. */
  readonly maxEventNames: number;
  /** New names of events and properties of an app id within a minute. */
  readonly maxNewNamesPerMinute: number;
}

/** The number of new names in the last minute with one, by app id. */
export type NameRates = ReadonlyMap<string, NameRate>;

export interface NameRate {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly names: number;
}

export interface NameBookOptions {
  readonly limits: NameLimits | undefined;
  readonly rates: NameRates | undefined;
  readonly hasEvent: (name: string) => boolean;
  /** Returns the number of event names of the project. */
  readonly eventCount: () => number;
}

const minuteMs = 60_000;
const noLimits: NameLimits = {
  maxEventNames: Number.POSITIVE_INFINITY,
  maxNewNamesPerMinute: Number.POSITIVE_INFINITY,
};

/** Counts the new names of a project, record by record. */
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

  /** Begins the records of an app id. Records without one are the operator's and have no limit. */
  begin(appid: string | undefined, steadyMs: number): void {
    this.#appid = appid;
    // Records that were received at the same time may be in another order.
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

  /** Counts a new name. */
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
