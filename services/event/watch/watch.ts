import { RingWatch, WatchRing } from "../../../base/async/watch-ring.ts";
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

export type RecordWatch = Pick<RingWatch<SeenRecord>, "next"> & Disposable;

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
  const rings = new Map<number, WatchRing<SeenRecord>>();
  const open = new Map<RingWatch<SeenRecord>, WatchFilter>();
  let filters: readonly WatchFilter[] | undefined;
  const changed = (): void => {
    filters = open.size === 0 ? undefined : Array.from(open.values());
  };
  return {
    filters: () => filters,
    publish({ records, skipped }) {
      for (const record of records) rings.get(record.projectId)?.add(record, sizeOf(record));
      for (const [projectId, count] of skipped) rings.get(projectId)?.skip(count);
      for (const watch of open.keys()) watch.wake();
    },
    open(filter) {
      if (open.size >= all.maxWatches) return undefined;
      const { projectId } = filter;
      const ring = rings.get(projectId) ?? new WatchRing<SeenRecord>({ ...all, maxItems: all.maxRecords });
      rings.set(projectId, ring);
      const watch = new RingWatch(ring, {
        matches: (record) => matches(filter, record, record.verdict),
        maxAtOnce: all.maxAtOnce,
        close() {
          open.delete(watch);
          const isLast = !Array.from(open.values()).some((other) => other.projectId === projectId);
          if (isLast) rings.delete(projectId);
          changed();
        },
      });
      open.set(watch, filter);
      changed();
      return watch;
    },
  };
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
