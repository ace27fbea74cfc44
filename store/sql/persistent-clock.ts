import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { first, type Operation, run, type Session } from "./query.ts";

/** The time of a store's clock, with what is needed to tell how much time has passed since. */
export interface ClockMark {
  readonly clockMs: number;
  /** Changes when the computer starts; empty where the system does not report it. */
  readonly bootId: string;
  /** Milliseconds since that start. */
  readonly uptimeMs: number;
}

export interface PersistentClockPorts {
  /** Milliseconds since 1970, by a clock which may be set. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly bootId: string;
  readonly uptimeMs: () => number;
}

/** A clock which is never set and continues across restarts of the process. */
export interface PersistentClock {
  /** Milliseconds since 1970. */
  clockMs(): number;
  /** Returns the mark to save in the store. */
  mark(): ClockMark;
}

/**
 * Creates the clock of a store. Without a mark it starts with the time of the computer. With one, the
 * elapsed time is known as long as the computer has not been restarted, even if its clock was set;
 * after a restart the computer's clock counts, but time never runs backwards.
 */
export function createPersistentClock(last: ClockMark | null, ports: PersistentClockPorts): PersistentClock {
  const { now, monotonicMs, bootId, uptimeMs } = ports;
  const offsetMs = startOf(last, ports) - monotonicMs();
  const clockMs = (): number => Math.round(offsetMs + monotonicMs());
  return {
    clockMs,
    mark: () => ({ clockMs: clockMs(), bootId, uptimeMs: Math.round(uptimeMs()) }),
  };

  function startOf(mark: ClockMark | null, { uptimeMs: upMs }: PersistentClockPorts): number {
    if (mark === null) return now();
    const isSameStart = bootId !== "" && mark.bootId === bootId && upMs() >= mark.uptimeMs;
    return isSameStart ? mark.clockMs + upMs() - mark.uptimeMs : Math.max(now(), mark.clockMs);
  }
}

export function systemPorts(): PersistentClockPorts {
  return {
    now: Date.now,
    monotonicMs: () => performance.now(),
    bootId: readBootId(),
    uptimeMs: () => uptime() * 1_000,
  };
}

function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

interface ClockRow {
  readonly clock_ms: number;
  readonly boot_id: string;
  readonly uptime_ms: number;
}

/** Reads the mark of the store's persistent clock; null when the clock has not been saved yet. */
export function* readClock(_session: Session): Operation<ClockMark | null> {
  const row = yield* first<ClockRow>("SELECT clock_ms, boot_id, uptime_ms FROM {clock} WHERE id = 1");
  return row && { clockMs: row.clock_ms, bootId: row.boot_id, uptimeMs: row.uptime_ms };
}

/** Saves the mark of the store's persistent clock. */
export function* saveClock(_session: Session, { clockMs, bootId, uptimeMs }: ClockMark): Operation<void> {
  yield* run(
    `INSERT INTO {clock} (id, clock_ms, boot_id, uptime_ms) VALUES (1, $1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET clock_ms = excluded.clock_ms, boot_id = excluded.boot_id,
       uptime_ms = excluded.uptime_ms`,
    clockMs,
    bootId,
    uptimeMs,
  );
}
