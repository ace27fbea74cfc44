import { signal } from "@preact/signals";
import type { Halts, LiveState } from "./schedule.ts";

/** Whether the user has stopped all live views. */
export const isPaused = signal(false);

/** The state of a live view, which the frame shows. */
export interface LiveStatus {
  readonly state: LiveState;
  /** When the present data was loaded. */
  readonly updatedMs: number | undefined;
  /** The time of the next load; undefined if none is planned. */
  readonly nextMs: number | undefined;
}

/** The status of the view on the screen; undefined on pages without one. */
export const liveStatus = signal<LiveStatus | undefined>(undefined);

/** Returns what stops live views at the moment. */
export function presentHalts(): Halts {
  return { isPaused: isPaused.peek(), isHidden: document.visibilityState === "hidden" };
}

/**
 * Calls a function now, whenever live views stop or may continue, and when the network is available again. Returns what
 * ends that.
 */
export function followHalts(change: () => void): () => void {
  const again = () => change();
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  const stop = isPaused.subscribe(again);
  return () => {
    stop();
    document.removeEventListener("visibilitychange", again);
    removeEventListener("online", again);
    liveStatus.value = undefined;
  };
}
