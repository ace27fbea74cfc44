import { Code } from "@connectrpc/connect";
import { retryLater } from "../../../base/rpc/map-errors.ts";

/** Limits runs: one of each caller, and some of all. A run has no queue, since it takes many seconds. */
export interface RunSlots {
  /** Returns a function that gives the slot back, once. @throws ConnectError RESOURCE_EXHAUSTED */
  take(caller: string): () => void;
}

const retryMs = 5_000;

export function createRunSlots(maxRuns: number): RunSlots {
  const running = new Set<string>();
  return {
    take(caller) {
      if (running.has(caller)) {
        throw refuse("a check of this caller is under way, wait for its end or cancel it");
      }
      if (running.size >= maxRuns) throw refuse(`${running.size} checks are under way, try again later`);
      running.add(caller);
      return () => running.delete(caller);
    },
  };
}

function refuse(message: string) {
  return retryLater(message, retryMs, { code: Code.ResourceExhausted });
}
