import type { Clock } from "./clock.ts";

export interface RingLimits {
  /** Items that are kept. */
  readonly maxItems: number;
  /** Bytes of these items. */
  readonly maxBytes: number;
}

interface Entry<T> {
  readonly number: number;
  readonly item: T;
  readonly bytes: number;
}

/**
 * The latest items of a stream, for any number of watches. Each item has a number; items that were left out have
 * numbers too.
 */
export class WatchRing<T> {
  readonly #limits: RingLimits;
  #entries: Entry<T>[] = [];
  /** The first entry that is kept; earlier ones are removed from the list now and then. */
  #first = 0;
  #bytes = 0;
  /** The number of the next item. */
  end = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** Adds an item, and removes the oldest ones beyond the limits. */
  add(item: T, bytes: number): void {
    this.#entries.push({ number: this.end++, item, bytes });
    this.#bytes += bytes;
    const { maxItems, maxBytes } = this.#limits;
    while (this.#entries.length - this.#first > maxItems || this.#bytes > maxBytes) {
      this.#bytes -= this.#entries[this.#first]!.bytes;
      this.#first++;
    }
    if (this.#first > maxItems) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Counts items that were left out. */
  skip(count: number): void {
    this.end += count;
  }

  /** Returns the first entry with this number or a later one. */
  from(number: number): { readonly number: number; readonly item: T } | undefined {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.number < number) low = middle + 1;
      else high = middle;
    }
    return this.#entries[low];
  }
}

/** The items that a watch gets at once. */
export interface Watched<T> {
  readonly items: readonly T[];
  /** Items that were removed before they were read, or left out. */
  readonly skipped: number;
}

export interface RingWatchOptions<T> {
  readonly matches: (item: T) => boolean;
  /** Items that the watch gets at once. */
  readonly maxAtOnce: number;
  /** Called when the watch is disposed of. */
  readonly close: () => void;
}

/** A reader of a ring with a place of its own, from its end on. */
export class RingWatch<T> implements Disposable {
  readonly #ring: WatchRing<T>;
  readonly #options: RingWatchOptions<T>;
  #next: number;
  #wake: (() => void) | undefined;

  constructor(ring: WatchRing<T>, options: RingWatchOptions<T>) {
    this.#ring = ring;
    this.#options = options;
    this.#next = ring.end;
  }

  /** Must be called after items were added. */
  wake(): void {
    this.#wake?.();
  }

  /** Resolves with the next items, when there are any. Rejects with the signal's reason. */
  async next(signal: AbortSignal): Promise<Watched<T>> {
    for (;;) {
      signal.throwIfAborted();
      const seen = this.#take();
      if (seen.items.length > 0 || seen.skipped > 0) return seen;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener("abort", this.#onAbort);
      await promise;
      signal.removeEventListener("abort", this.#onAbort);
      this.#wake = undefined;
    }
  }

  readonly #onAbort = (): void => this.wake();

  #take(): Watched<T> {
    const { matches, maxAtOnce } = this.#options;
    const items: T[] = [];
    let skipped = 0;
    while (items.length < maxAtOnce) {
      const entry = this.#ring.from(this.#next);
      const number = entry?.number ?? this.#ring.end;
      skipped += number - this.#next;
      this.#next = number;
      if (entry === undefined) break;
      this.#next++;
      if (matches(entry.item)) items.push(entry.item);
    }
    return { items, skipped };
  }

  [Symbol.dispose](): void {
    this.#options.close();
  }
}

/** A response follows a time without items, so that proxies do not end the call. */
export const quietMs = 15_000;

/**
 * Waits for the next items of a watch, at most for the quiet time: then, or when the signal is aborted, there are
 * none.
 */
export async function nextOrQuiet<T>(
  watch: Pick<RingWatch<T>, "next">,
  ended: AbortSignal,
  clock: Pick<Clock, "after">,
): Promise<Watched<T>> {
  const quiet = new AbortController();
  const cancel = clock.after(quietMs, () => quiet.abort());
  try {
    return await watch.next(AbortSignal.any([ended, quiet.signal]));
  } catch {
    return { items: [], skipped: 0 };
  } finally {
    cancel();
  }
}
