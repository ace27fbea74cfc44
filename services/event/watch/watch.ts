import type { WatchFilter } from "./filter.ts";
import { matches } from "./filter.ts";
import type { Sample } from "./sample.ts";
import type { SeenRecord } from "./seen-record.ts";

/**
 * The watches of the records of a process. The loader and the collector publish what matches `filters`; nothing is
 * published, or kept, while no watch is open.
 */
export interface RecordWatches {
  /** The filters of all open watches; undefined while there is none. */
  filters(): readonly WatchFilter[] | undefined;
  /** Appends records. Takes no time that depends on how fast watches read. */
  publish(sample: Sample): void;
  /** Returns undefined when there are too many watches. */
  open(filter: WatchFilter): RecordWatch | undefined;
}

export interface RecordWatch extends Disposable {
  /** Resolves with the next records, when there are any. Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<Seen>;
}

export interface Seen {
  readonly records: readonly SeenRecord[];
  /** Records that were overwritten before they were read, or left out. */
  readonly skipped: number;
}

export interface WatchLimits {
  readonly maxWatches: number;
  /** Records of a project that are kept for watches. */
  readonly maxRecords: number;
  /** Bytes of these records. */
  readonly maxBytes: number;
  /** Records that a watch gets at once. */
  readonly maxAtOnce: number;
}

const defaultLimits: WatchLimits = {
  maxWatches: 32,
  maxRecords: 1_000,
  maxBytes: 2_097_152,
  maxAtOnce: 100,
};

export function createRecordWatches(limits: Partial<WatchLimits> = {}): RecordWatches {
  const all = { ...defaultLimits, ...limits };
  const rings = new Map<number, Ring>();
  const open = new Set<OpenWatch>();
  let filters: readonly WatchFilter[] | undefined;
  const changed = (): void => {
    filters = open.size === 0 ? undefined : Array.from(open, ({ filter }) => filter);
  };
  return {
    filters: () => filters,
    publish({ records, skipped }) {
      for (const record of records) rings.get(record.projectId)?.add(record);
      for (const [projectId, count] of skipped) rings.get(projectId)?.skip(count);
      for (const watch of open) watch.wake();
    },
    open(filter) {
      if (open.size >= all.maxWatches) return undefined;
      const { projectId } = filter;
      const ring = rings.get(projectId) ?? new Ring(all);
      rings.set(projectId, ring);
      const watch = new OpenWatch(filter, ring, all.maxAtOnce, () => {
        open.delete(watch);
        const isLast = !Array.from(open).some((other) => other.filter.projectId === projectId);
        if (isLast) rings.delete(projectId);
        changed();
      });
      open.add(watch);
      changed();
      return watch;
    },
  };
}

interface Entry {
  readonly number: number;
  readonly record: SeenRecord;
  readonly bytes: number;
}

/** The latest records of a project. Each has a number; records that were left out have numbers too. */
class Ring {
  readonly #limits: WatchLimits;
  #entries: Entry[] = [];
  /** The first entry that is kept; earlier ones are removed from the list now and then. */
  #first = 0;
  #bytes = 0;
  /** The number of the next record. */
  end = 0;

  constructor(limits: WatchLimits) {
    this.#limits = limits;
  }

  add(record: SeenRecord): void {
    const bytes = sizeOf(record);
    this.#entries.push({ number: this.end++, record, bytes });
    this.#bytes += bytes;
    const { maxRecords, maxBytes } = this.#limits;
    while (this.#entries.length - this.#first > maxRecords || this.#bytes > maxBytes) {
      this.#bytes -= this.#entries[this.#first]!.bytes;
      this.#first++;
    }
    if (this.#first > maxRecords) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }

  skip(count: number): void {
    this.end += count;
  }

  /** Returns the first entry with this number or a later one. */
  from(number: number): Entry | undefined {
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

const overheadBytes = 256;

/** Returns about the memory of a record. */
function sizeOf({ shown, dropped, refused }: SeenRecord): number {
  const texts = [
    shown.json,
    ...shown.cut,
    ...dropped.flatMap(({ name, message = "" }) => [name, message]),
    refused?.message ?? "",
  ];
  return overheadBytes + 2 * texts.reduce((sum, text) => sum + text.length, 0);
}

class OpenWatch implements RecordWatch {
  readonly filter: WatchFilter;
  readonly #ring: Ring;
  readonly #maxAtOnce: number;
  readonly #close: () => void;
  #next: number;
  #wake: (() => void) | undefined;

  constructor(filter: WatchFilter, ring: Ring, maxAtOnce: number, close: () => void) {
    this.filter = filter;
    this.#ring = ring;
    this.#maxAtOnce = maxAtOnce;
    this.#close = close;
    this.#next = ring.end;
  }

  wake(): void {
    this.#wake?.();
  }

  async next(signal: AbortSignal): Promise<Seen> {
    for (;;) {
      signal.throwIfAborted();
      const seen = this.#take();
      if (seen.records.length > 0 || seen.skipped > 0) return seen;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener("abort", this.#onAbort);
      await promise;
      signal.removeEventListener("abort", this.#onAbort);
      this.#wake = undefined;
    }
  }

  readonly #onAbort = (): void => this.wake();

  #take(): Seen {
    const records: SeenRecord[] = [];
    let skipped = 0;
    while (records.length < this.#maxAtOnce) {
      const entry = this.#ring.from(this.#next);
      const number = entry?.number ?? this.#ring.end;
      skipped += number - this.#next;
      this.#next = number;
      if (entry === undefined) break;
      this.#next++;
      if (matches(this.filter, entry.record, entry.record.verdict)) records.push(entry.record);
    }
    return { records, skipped };
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
