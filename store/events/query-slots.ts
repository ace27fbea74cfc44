import { createFairSlots, type FairSlots, type Sharer } from "../../base/async/fair-slots.ts";
import { type QueryCaller, type QueryCounts, TooManyQueriesError } from "./events.ts";

/** The maximum number of results that one caller keeps for its readers. They are on the disk when memory is short. */
const maxHeldResults = 8;
const maxWaitingResults = 100;

/** Limits of the queries of a store. */
export interface QueryLimits {
  /** The maximum number of concurrent queries; as many again run for callers without a running one. */
  readonly maxQueries: number;
  /** The maximum number of waiting queries of one caller; four times as many of all together. */
  readonly maxWaiting: number;
}

/** The slots of a store's queries, which are divided fairly among callers. */
export interface QuerySlots {
  /**
   * Waits for a free slot; resolves to the function which frees it.
   * @throws TooManyQueriesError, the signal's reason
   */
  run(caller: QueryCaller, signal: AbortSignal): Promise<() => void>;
  /**
   * Waits until another query may keep its result for a possibly slow reader; resolves to the function
   * which ends that. To be called before `run`.
   * @throws TooManyQueriesError, the signal's reason
   */
  keep(caller: QueryCaller, signal: AbortSignal): Promise<() => void>;
  counts(): QueryCounts;
}

export function createQuerySlots({ maxQueries, maxWaiting }: QueryLimits): QuerySlots {
  const running = createSlots(maxQueries, maxWaiting, "run");
  const results = createSlots(maxHeldResults, maxWaitingResults, "are read");
  return {
    run: (caller, signal) => running.take(sharerOf(caller), signal),
    keep: (caller, signal) => results.take(sharerOf(caller), signal),
    counts: running.counts,
  };
}

function createSlots(maxRunning: number, maxWaiting: number, verb: string): FairSlots {
  return createFairSlots({
    maxRunning,
    reserved: maxRunning,
    maxWaiting,
    refuse: ({ running, waiting }) =>
      new TooManyQueriesError(
        `${running} queries ${verb} and ${waiting} wait, at most ${maxRunning} and ${maxWaiting} may`,
      ),
  });
}

function sharerOf({ projectId, caller = "" }: QueryCaller): Sharer {
  return { group: projectId, member: caller };
}
