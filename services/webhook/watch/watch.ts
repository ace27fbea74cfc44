import { RingWatch, WatchRing } from "../../../base/async/watch-ring.ts";
import type { AttemptRecord } from "../../../store/inbox/inbox.ts";
import type { Attempted } from "../delivery/lane-options.ts";
import type { AcceptedBatch } from "../observer.ts";

/** Something that happened to a batch. */
export interface DeliveryEvent {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly channel: string;
  readonly batchId: string;
  readonly accepted?: AcceptedBatch;
  readonly attempted?: AttemptRecord & { readonly target: string; readonly attempt: number };
}

/** Selects events; both must match where they are given. */
export interface EventFilter {
  readonly channel?: string | undefined;
  readonly target?: string | undefined;
}

/** The watches of what a process accepts and delivers. Nothing is kept while none is open. */
export interface DeliveryWatches {
  accepted(channel: string, batch: AcceptedBatch): void;
  readonly attempted: Attempted;
  /** Returns undefined when there are too many watches. */
  open(filter: EventFilter): DeliveryWatch | undefined;
}

export type DeliveryWatch = Pick<RingWatch<DeliveryEvent>, "next"> & Disposable;

export interface DeliveryWatchesOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: 32. */
  readonly maxWatches?: number;
  /** Events kept for slow watches. Default: 2,000. */
  readonly maxEvents?: number;
  /** Bytes of these events. Default: 2 MiB. */
  readonly maxBytes?: number;
}

/** Events that a watch gets at once. */
const maxAtOnce = 100;
const maxReasonCharacters = 1_024;
const overheadBytes = 256;

export function createDeliveryWatches({
  now,
  maxWatches = 32,
  maxEvents = 2_000,
  maxBytes = 2_097_152,
}: DeliveryWatchesOptions): DeliveryWatches {
  const open = new Set<RingWatch<DeliveryEvent>>();
  const limits = { maxItems: maxEvents, maxBytes };
  let ring = new WatchRing<DeliveryEvent>(limits);
  const wake = (): void => {
    for (const watch of open) watch.wake();
  };
  return {
    accepted(channel, batch) {
      if (open.size === 0) return;
      const event = { atMs: now(), channel, batchId: batch.batchId, accepted: batch };
      ring.add(event, overheadBytes);
      wake();
    },
    attempted({ batchId, channel, target, attempt }, attempts) {
      if (open.size === 0) return;
      for (const record of attempts) {
        const reason = record.reason?.slice(0, maxReasonCharacters) ?? null;
        const attempted = { ...record, reason, answer: null, target, attempt };
        const bytes = overheadBytes + 8 * record.indexes.length + 2 * (reason?.length ?? 0);
        ring.add({ atMs: now(), channel, batchId, attempted }, bytes);
      }
      wake();
    },
    open(filter) {
      if (open.size >= maxWatches) return undefined;
      const watch = new RingWatch(ring, {
        matches: (event) => isSelected(event, filter),
        maxAtOnce,
        close() {
          open.delete(watch);
          if (open.size === 0) ring = new WatchRing(limits);
        },
      });
      open.add(watch);
      return watch;
    },
  };
}

function isSelected({ channel, attempted }: DeliveryEvent, filter: EventFilter): boolean {
  return (
    (filter.channel === undefined || channel === filter.channel) &&
    (filter.target === undefined || attempted?.target === filter.target)
  );
}
