import { systemClock } from "../../../base/async/clock.ts";
import { dayMs } from "../../../base/time/units.ts";
import type { LoadObserver } from "../../../services/event/load/load.ts";
import { createLoadWatch } from "../../../services/event/load/load-watch.ts";
import type { RecordCounts } from "../../../services/event/load/prepared.ts";
import type { PendingRecords } from "../../../services/event/pending.ts";
import type { Config } from "../../config/config.ts";

/** Watches the loading of records until it is disposed of. */
export interface EventWatch extends Disposable {
  /** Returns an observer that reports to the given one and to the watch. */
  observe(observer: LoadObserver): LoadObserver;
  /** To be called when another process may have loaded records. */
  moved(): void;
  readonly lagMs: () => number;
  /** Returns the mean size of the records that this process has loaded; undefined before the first. */
  readonly recordBytes: () => number | undefined;
  readonly fault: () => string | undefined;
}

const lookMs = 1_000;
/** The longest wait that is assumed for a record: a wrong wall clock could show any. */
const maxWaitedMs = 7 * dayMs;

/** What is known of records that another process has loaded. */
const nothing: RecordCounts = {
  records: 0,
  events: 0,
  updates: 0,
  users: 0,
  duplicates: { uuid: 0, first_check_id: 0 },
  refused: {},
  dropped: {},
};

export async function watchLoading({ events }: Config, records: PendingRecords): Promise<EventWatch> {
  const { monotonicMs, now } = systemClock;
  const { loadedTo, start, end, read, bytesAfter } = records;
  const oldest = await read(loadedTo() ?? (await start()), 4_096);
  const head = oldest && Buffer.from(oldest.bytes.subarray(0, 100)).toString("latin1");
  const receivedMs = Number((head && /"r":(\d+)/.exec(head)?.[1]) ?? now());
  const waitedMs = Math.min(Math.max(0, now() - receivedMs), maxWaitedMs);
  const watch = createLoadWatch({
    monotonicMs,
    standstillMs: () => events.lag.standstillMs + events.batch.maxDelayMs,
    waitedMs,
  });
  const loadedSoFar = { records: 0, bytes: 0 };
  async function look(): Promise<void> {
    watch.reached(await end());
    if (watch.lagMs(loadedTo()) === 0) return;
    if ((await bytesAfter(loadedTo() ?? (await start()))) === 0) watch.caughtUp();
  }
  await look();
  const timer = setInterval(() => void look().catch(() => {}), lookMs).unref();
  return {
    observe: (observer) => ({
      ...observer,
      loaded(prepared, times) {
        watch.loaded(prepared.counts);
        // A batch is of one file.
        loadedSoFar.records += prepared.counts.records;
        loadedSoFar.bytes += prepared.batch.to.offset - prepared.batch.from.offset;
        observer.loaded(prepared, times);
      },
      began() {
        watch.began();
        observer.began?.();
      },
      failed(error, delayMs) {
        watch.failed(error);
        observer.failed(error, delayMs);
      },
    }),
    moved() {
      watch.began();
      watch.loaded(nothing);
    },
    lagMs: () => watch.lagMs(loadedTo()),
    recordBytes: () => (loadedSoFar.records === 0 ? undefined : loadedSoFar.bytes / loadedSoFar.records),
    fault: () => watch.fault(loadedTo()),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
