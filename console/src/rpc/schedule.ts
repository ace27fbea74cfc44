/** Why a live view does not load at the moment, or that it does. */
export type LiveState = "connecting" | "live" | "paused" | "hidden" | "lost";

/** No view queries the stores more often than this. */
const minPeriodMs = 5_000;
const maxBackoffMs = 60_000;

/** What stops live views. */
export interface Halts {
  readonly isPaused: boolean;
  readonly isHidden: boolean;
}

export interface Schedule extends Halts {
  readonly periodMs: number;
  /** Failed loads since the last that succeeded. */
  readonly failures: number;
  /** When the last load began; undefined before the first. */
  readonly startedMs: number | undefined;
  readonly nowMs: number;
}

/** Returns what stops live views at the moment; undefined if nothing does. */
export function haltOf({ isPaused, isHidden }: Halts): "paused" | "hidden" | undefined {
  if (isPaused) return "paused";
  return isHidden ? "hidden" : undefined;
}

/** Returns the pause after failures in a row, each of which doubles it. */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
): number {
  return Math.min(firstMs * 2 ** Math.max(0, failures - 1), maxMs);
}

/**
 * Returns the time until the next load; undefined if none is planned. The first load happens in any case, since an
 * empty page tells nothing. Each failure doubles the pause.
 */
export function nextDelayMs(schedule: Schedule): number | undefined {
  const { startedMs, failures, nowMs } = schedule;
  if (startedMs === undefined) return 0;
  if (haltOf(schedule) !== undefined) return undefined;
  const period = Math.max(schedule.periodMs, minPeriodMs);
  const pause = failures === 0 ? period : backoffMs(failures, { firstMs: period, maxMs: maxBackoffMs });
  return Math.max(0, startedMs + pause - nowMs);
}

export function stateOf(schedule: Schedule, hasData: boolean): LiveState {
  if (schedule.failures > 0) return "lost";
  if (schedule.startedMs === undefined || !hasData) return "connecting";
  return haltOf(schedule) ?? "live";
}
