import type { Logger } from "pino";
import { createSettledNow, systemClock } from "../../../base/async/clock.ts";
import type { CompactReport, EventStore } from "../../../store/events/events.ts";
import type { Config } from "../../config/config.ts";
import type { SteadyClock } from "../data/steady-clock.ts";
import type { EventMetrics } from "../metrics/event.ts";
import { keepDaysOf } from "./store.ts";

export interface CompactionOptions {
  readonly store: Pick<EventStore, "compact">;
  /** Returns the days of events to keep, by project; those that are left out keep all. */
  readonly keepDays: () => ReadonlyMap<number, number>;
  readonly now: () => number;
  /** Called after each round that changed something. */
  readonly done: (report: CompactReport) => void;
  /** Called after a failed round; the next round tries again. */
  readonly failed: (error: unknown) => void;
}

const lookMs = 30_000;
const hourMs = 3_600_000;

/** Compacts closed days and drops old ones at the start and at each full hour of UTC. */
export function startCompaction(options: CompactionOptions): AsyncDisposable {
  const { store, keepDays, now, done, failed } = options;
  const stop = new AbortController();
  let lastHour: number | undefined;
  let round: Promise<void> | undefined;

  async function compact(): Promise<void> {
    try {
      const report = await store.compact({ nowMs: now(), keepDays: keepDays(), signal: stop.signal });
      if (report.rewrittenDays + report.droppedDays > 0) done(report);
    } catch (error) {
      if (!stop.signal.aborted) failed(error);
    }
    round = undefined;
  }
  function look(): void {
    const hour = Math.floor(now() / hourMs);
    if (hour === lastHour || round !== undefined) return;
    lastHour = hour;
    round = compact();
  }
  const timer = setInterval(look, lookMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stop.abort();
      await round;
    },
  };
}

/** A clock that is wrong for less than this time does not delete events. */
const settleMs = 3_600_000;

/** Compacts the closed days of a store, and reports what it did. */
export function startUpkeep(
  config: Config,
  store: Pick<EventStore, "compact">,
  { metrics, logger, clock }: UpkeepPorts,
): AsyncDisposable {
  const settledNow = createSettledNow(systemClock, settleMs);
  return startCompaction({
    store,
    keepDays: () => keepDaysOf(config),
    // A clock that was set forward never deletes events.
    now: () => Math.min(settledNow(), clock?.steadyMs() ?? Number.POSITIVE_INFINITY),
    done: (report) => logger.info(report, "compacted closed days"),
    failed(error) {
      metrics.compactFailed();
      logger.error({ err: error }, "could not compact closed days");
    },
  });
}

export interface UpkeepPorts {
  readonly metrics: Pick<EventMetrics, "compactFailed">;
  readonly logger: Logger;
  readonly clock: SteadyClock | undefined;
}
