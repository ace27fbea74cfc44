import { join } from "node:path";
import type { Clock } from "../../../base/async/clock.ts";
import { openMarkFile } from "../../../base/files/mark-file.ts";
import {
  type ClockMark,
  createPersistentClock,
  type PersistentClockPorts,
  systemPorts,
} from "../../../store/sql/persistent-clock.ts";
import { createLeaseClock } from "../../../store/sql/postgres/lease-clock.ts";
import type { Config } from "../../config/config.ts";

/** A clock that is never set and continues over restarts: of the data folder, or of the shared database. */
export interface SteadyClock extends Disposable {
  /** Milliseconds since 1970, if the system clock was right at first. */
  steadyMs(): number;
  /** Milliseconds by which the system clock was set forward since; 0 for small corrections. */
  driftMs(): number;
}

/** How far a restart of the computer may set the clock back. */
const noteMs = 60_000;
const minDriftMs = 60_000;

/** Opens the clock; its state is one of the marks in the data folder. */
export function openSteadyClock(
  { data }: Pick<Config, "data">,
  ports: PersistentClockPorts = systemPorts(),
): SteadyClock {
  const file = openMarkFile<ClockMark>(join(data, "marks", "clock.mark"));
  const clock = createPersistentClock(file.found ?? null, ports);
  let notedMs = Number.NEGATIVE_INFINITY;
  const steadyMs = (): number => {
    const nowMs = clock.clockMs();
    if (nowMs - notedMs >= noteMs) {
      notedMs = nowMs;
      file.write(clock.mark());
    }
    return nowMs;
  };
  steadyMs();
  return {
    steadyMs,
    driftMs: () => driftOf(ports.now(), steadyMs()),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

export interface SharedClockPorts {
  /** Reads the time of the database, in milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  readonly clock: Pick<Clock, "now" | "monotonicMs" | "wait">;
}

const askAgainMs = 1_000;

/** Creates the clock that replicas share. Until the database has replied once, it is the system clock. */
export function createSharedClock({ ask, clock }: SharedClockPorts): SteadyClock {
  const { now, monotonicMs, wait } = clock;
  const stop = new AbortController();
  const shared = createLeaseClock({ ask, monotonic: monotonicMs, now });
  const begin = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const isKnown = await shared.refresh().then(
        () => true,
        () => false,
      );
      if (isKnown) return;
      await wait(askAgainMs, stop.signal);
    }
  };
  void begin();
  return {
    steadyMs: shared.now,
    driftMs: () => driftOf(now(), shared.now()),
    [Symbol.dispose]: () => stop.abort(),
  };
}

function driftOf(nowMs: number, steadyMs: number): number {
  const driftMs = Math.round(nowMs - steadyMs);
  return Math.abs(driftMs) < minDriftMs ? 0 : driftMs;
}
