import type { SlotRequest } from "../batches.ts";

/** What is remembered of the slots of a channel; times are microseconds of one clock. */
export interface SlotState {
  /** The next slot is not before this. */
  readonly nextUs: number;
  readonly perSecond: number;
}

export interface TakenSlots {
  /** Ascending. */
  readonly atUs: readonly number[];
  readonly retryAfterMs: number;
  readonly state: SlotState;
}

const DEFAULT_WINDOW_MS = 1_000;
/** Slots are not given further ahead: a limit that is raised, or a sender that dies, has effect after it. */
const MAX_AHEAD_US = 60_000_000;

/**
 * Slots at equal distances, so that of N + 1 in a row the last is a window behind
 * the first, whatever the windows are. A limit that has changed begins a window
 * of its own. A next slot too far ahead was left by a clock that was set back.
 * @param state null: none was given so far
 */
export function takeSlots(
  state: SlotState | null,
  { count, perSecond, windowMs = DEFAULT_WINDOW_MS }: SlotRequest,
  nowUs: number,
): TakenSlots {
  const windowUs = windowMs * 1_000;
  const stepUs = Math.ceil(windowUs / perSecond);
  let nextUs = startOf(state, perSecond, windowUs, nowUs);
  const atUs: number[] = [];
  while (atUs.length < count && nextUs - nowUs <= MAX_AHEAD_US) {
    atUs.push(nextUs);
    nextUs += stepUs;
  }
  const isWhole = atUs.length === count;
  const retryAfterMs = isWhole ? 0 : Math.ceil((nextUs - nowUs - MAX_AHEAD_US) / 1_000);
  return { atUs, retryAfterMs, state: { nextUs, perSecond } };
}

function startOf(state: SlotState | null, perSecond: number, windowUs: number, nowUs: number): number {
  if (state === null) return nowUs;
  const stepUs = Math.ceil(windowUs / state.perSecond);
  if (state.nextUs - nowUs > MAX_AHEAD_US + stepUs) return nowUs + windowUs;
  const nextUs = state.perSecond === perSecond ? state.nextUs : state.nextUs - stepUs + windowUs;
  return Math.max(nowUs, nextUs);
}
