import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** How the clock of a store stood, with what tells how much time has passed since. */
export interface ClockMark {
  readonly clockMs: number;
  /** Changes when the computer starts; empty where the system doesn't say. */
  readonly bootId: string;
  /** Since that start. */
  readonly uptimeMs: number;
}

export interface LastingClockPorts {
  /** Milliseconds since 1970; it may be set. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly bootId: string;
  readonly uptimeMs: () => number;
}

/** A clock that nobody sets, and which goes on where the process before left it. */
export interface LastingClock {
  clockMs(): number;
  /** To be kept in the store. */
  mark(): ClockMark;
}

/**
 * Begins as the computer's clock the first time. Later, while the computer has not been
 * started again, the time that has passed is known whatever its clock was set to; after
 * a start the clock is believed, but time does not run backwards.
 */
export function createLastingClock(last: ClockMark | null, ports: LastingClockPorts): LastingClock {
  const { now, monotonicMs, bootId, uptimeMs } = ports;
  const offsetMs = startOf(last, ports) - monotonicMs();
  const clockMs = (): number => Math.round(offsetMs + monotonicMs());
  return {
    clockMs,
    mark: () => ({ clockMs: clockMs(), bootId, uptimeMs: Math.round(uptimeMs()) }),
  };

  function startOf(mark: ClockMark | null, { uptimeMs: upMs }: LastingClockPorts): number {
    if (mark === null) return now();
    const isSameStart = bootId !== "" && mark.bootId === bootId && upMs() >= mark.uptimeMs;
    return isSameStart ? mark.clockMs + upMs() - mark.uptimeMs : Math.max(now(), mark.clockMs);
  }
}

export function systemPorts(): LastingClockPorts {
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
