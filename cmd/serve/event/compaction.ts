import type { CompactReport, EventStore } from "../../../store/events/events.ts";

export interface CompactionOptions {
  readonly store: Pick<EventStore, "compact">;
  readonly keepDays: ReadonlyMap<number, number>;
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
      const report = await store.compact({ nowMs: now(), keepDays, signal: stop.signal });
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
