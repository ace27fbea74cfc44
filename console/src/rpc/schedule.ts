/** Why a live view does not load at the moment, or that it does. */
export type LiveState = "connecting" | "live" | "paused" | "hidden" | "lost";

/** No view queries the stores more often than this. */
export const minPeriodMs = 5_000;
const maxBackoffMs = 60_000;

export interface Schedule {
  readonly periodMs: number;
  /** Failed loads since the last that succeeded. */
  readonly failures: number;
  readonly isPaused: boolean;
  readonly isHidden: boolean;
  /** When the last load began; undefined before the first. */
  readonly startedMs: number | undefined;
  readonly nowMs: number;
}

/**
 * Returns the time until the next load; undefined if none is planned. The first load happens in any case, since an
 * empty page tells nothing. Each failure doubles the pause.
 */
export function nextDelayMs(schedule: Schedule): number | undefined {
  const { startedMs, failures, nowMs } = schedule;
  if (startedMs === undefined) return 0;
  if (schedule.isPaused || schedule.isHidden) return undefined;
  const period = Math.max(schedule.periodMs, minPeriodMs);
  const pause = failures === 0 ? period : Math.min(period * 2 ** (failures - 1), maxBackoffMs);
  return Math.max(0, startedMs + pause - nowMs);
}

export function stateOf({ startedMs, failures, isPaused, isHidden }: Schedule, hasData: boolean): LiveState {
  if (failures > 0) return "lost";
  if (startedMs === undefined || !hasData) return "connecting";
  if (isPaused) return "paused";
  return isHidden ? "hidden" : "live";
}
