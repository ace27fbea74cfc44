/** The group and member for which work is done. Sharers get slots in turns. */
export interface Sharer {
  /** The id of a project, for example. */
  readonly group: string | number;
  /** The name of a token, for example. */
  readonly member: string;
}

export interface FairSlotsOptions {
  /** Slots that any sharer may hold. */
  readonly maxRunning: number;
  /** Further slots, each for a sharer that holds none; the last of them for a group that holds none. */
  readonly reserved: number;
  /** The number of requests of one sharer that may wait; four times as many of all sharers together. */
  readonly maxWaiting: number;
  /** Returns the error for a request that may not wait. */
  readonly refuse: (counts: SlotCounts, limits: Pick<FairSlotsOptions, "maxRunning" | "maxWaiting">) => Error;
}

export interface SlotCounts {
  readonly running: number;
  readonly waiting: number;
}

/**
 * Limits concurrent work and divides the slots fairly: the next slot goes to the group, and within it to the member,
 * that holds fewest slots and was served longest ago. One sharer can use all ordinary slots while it is alone; another
 * that arrives then gets a reserved slot at once.
 */
export interface FairSlots {
  /**
   * Resolves to a function that releases the slot; calling it again does nothing.
   * @throws the error of `refuse` when too many requests wait; the signal's reason
   */
  take(sharer: Sharer, signal: AbortSignal): Promise<() => void>;
  counts(): SlotCounts;
}

interface Waiting {
  readonly sharer: Sharer;
  readonly enter: () => void;
}

/** The state of one group or member. It is never removed, since there are few. */
interface Share {
  running: number;
  waiting: number;
  /** Number of the last start, counted over all sharers. */
  lastStart: number;
}

const waitingFactor = 4;

export function createFairSlots(options: FairSlotsOptions): FairSlots {
  const slots = new Slots(options);
  return {
    counts: () => slots.counts(),
    async take(sharer, signal) {
      signal.throwIfAborted();
      if (slots.mayStart(sharer)) return slots.start(sharer);
      if (!slots.mayWait(sharer)) throw options.refuse(slots.counts(), options);
      return await slots.wait(sharer, signal);
    },
  };
}

class Slots {
  readonly #options: FairSlotsOptions;
  readonly #shares = new Map<string, Share>();
  /** Waiting requests in the order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #running = 0;
  #starts = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  counts(): SlotCounts {
    return { running: this.#running, waiting: this.#waiting.size };
  }

  mayStart(sharer: Sharer): boolean {
    const { maxRunning, reserved } = this.#options;
    if (this.#running < maxRunning) return true;
    const free = maxRunning + reserved - this.#running;
    if (free <= 0 || this.#member(sharer).running > 0) return false;
    return free > 1 || this.#group(sharer).running === 0;
  }

  mayWait(sharer: Sharer): boolean {
    const { maxWaiting } = this.#options;
    return this.#member(sharer).waiting < maxWaiting && this.#waiting.size < waitingFactor * maxWaiting;
  }

  start(sharer: Sharer): () => void {
    this.#running++;
    this.#starts++;
    for (const share of this.#sharesOf(sharer)) {
      share.running++;
      share.lastStart = this.#starts;
    }
    let isHeld = true;
    return () => {
      if (isHeld) this.#giveBack(sharer);
      isHeld = false;
    };
  }

  wait(sharer: Sharer, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        for (const share of this.#sharesOf(sharer)) share.waiting--;
        signal.removeEventListener("abort", abort);
      };
      const enter = (): void => {
        leave();
        resolve(this.start(sharer));
      };
      const abort = (): void => {
        leave();
        reject(signal.reason);
      };
      const waiting: Waiting = { sharer, enter };
      this.#waiting.add(waiting);
      for (const share of this.#sharesOf(sharer)) share.waiting++;
      signal.addEventListener("abort", abort);
    });
  }

  #giveBack(sharer: Sharer): void {
    this.#running--;
    for (const share of this.#sharesOf(sharer)) share.running--;
    this.#next()?.enter();
  }

  #next(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const one of this.#waiting) {
      if (this.mayStart(one.sharer) && (best === undefined || this.#isBefore(one, best))) best = one;
    }
    return best;
  }

  /** Reports whether `a`, which arrived later, is served before `b`. */
  #isBefore(a: Waiting, b: Waiting): boolean {
    const [ofA, ofB] = [a, b].map(({ sharer }) => {
      const [group, member] = this.#sharesOf(sharer);
      return [group!.running, member!.running, group!.lastStart, member!.lastStart];
    });
    const at = ofA!.findIndex((value, index) => value !== ofB![index]);
    return at >= 0 && ofA![at]! < ofB![at]!;
  }

  #sharesOf(sharer: Sharer): readonly Share[] {
    return [this.#group(sharer), this.#member(sharer)];
  }

  #group({ group }: Sharer): Share {
    return this.#share(`group ${group}`);
  }

  #member({ member }: Sharer): Share {
    return this.#share(`member ${member}`);
  }

  #share(key: string): Share {
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const share: Share = { running: 0, waiting: 0, lastStart: 0 };
    this.#shares.set(key, share);
    return share;
  }
}
