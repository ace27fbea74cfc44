import { setImmediate as nextTurn } from "node:timers/promises";

/** Long work holds the event loop no longer than this at a time. */
const maxTurnMs = 5;

/** Gives the event loop its turn when this has worked long enough. */
export type Breathe = () => Promise<void>;

/** @throws the signal's reason, when it breathes */
export function createBreather(signal: AbortSignal): Breathe {
  let turnMs = performance.now();
  return async () => {
    if (performance.now() - turnMs < maxTurnMs) return;
    await nextTurn();
    signal.throwIfAborted();
    turnMs = performance.now();
  };
}

/** A loop over as many items as take well under a millisecond is worth one breath. */
export const breathEvery = 1_024;
