import type { AttemptRecord, BatchElement, Route, RouteResult } from "../../../store/inbox/inbox.ts";
import type { ElementFailure } from "./elements.ts";

/** The outcomes of a target within the time limit; elements of its route in neither list have no outcome yet. */
export interface RouteOutcome {
  readonly target: string;
  readonly delivered: readonly number[];
  /** Elements that the target refused, with the reason. */
  readonly failed: readonly { readonly index: number; readonly reason: string }[];
  /** The attempts that the outcomes are of. Default: none. */
  readonly attempts?: readonly AttemptRecord[] | undefined;
}

export type SyncOutcome =
  | {
      readonly kind: "answered";
      readonly failures: readonly ElementFailure[];
      readonly results: readonly RouteResult[];
    }
  /** No target responded: the sender must send the batch again. */
  | { readonly kind: "failed"; readonly failures: readonly ElementFailure[] };

/**
 * Determines the failures of the reply and the results that are stored. An element fails if one of its targets refused
 * it or, with `late: "fail"`, did not respond. Other targets keep it as delivered, or do not get it any more, since the
 * sender learns that it failed.
 */
export function decideSync(
  elements: readonly BatchElement[],
  routes: readonly Route[],
  outcomes: readonly RouteOutcome[],
  late: "queue" | "fail",
): SyncOutcome {
  const failures = new Map<number, string>();
  const states = routes.map((route) => stateOf(route, elements, outcomes));
  for (const { target, failed, withoutOutcome } of states) {
    for (const [index, reason] of failed) if (!failures.has(index)) failures.set(index, reason);
    if (late === "queue") continue;
    for (const index of withoutOutcome) {
      if (!failures.has(index)) failures.set(index, `target "${target}" did not respond in time`);
    }
  }
  const list = [...failures]
    .sort(([a], [b]) => a - b)
    .map(([index, message]): ElementFailure => ({ index, message }));
  const isAnswered = states.some(({ delivered, failed }) => delivered.length > 0 || failed.size > 0);
  if (late === "fail" && !isAnswered && list.length > 0) return { kind: "failed", failures: list };
  const results = states.map(
    ({ target, delivered, withoutOutcome, attempts }): RouteResult => ({
      target,
      delivered,
      pending: withoutOutcome.filter((index) => !failures.has(index)),
      dead: [],
      ...(attempts !== undefined && { attempts }),
    }),
  );
  return { kind: "answered", failures: list, results };
}

interface RouteState {
  readonly target: string;
  readonly delivered: readonly number[];
  readonly failed: ReadonlyMap<number, string>;
  readonly withoutOutcome: readonly number[];
  readonly attempts: readonly AttemptRecord[] | undefined;
}

function stateOf(
  { target, indexes }: Route,
  elements: readonly BatchElement[],
  outcomes: readonly RouteOutcome[],
): RouteState {
  const outcome = outcomes.find((one) => one.target === target);
  const all = indexes === "all" ? elements.map(({ index }) => index) : indexes;
  const done = new Set(outcome?.delivered);
  const refused = new Map(outcome?.failed.map(({ index, reason }) => [index, reason]));
  return {
    target,
    delivered: all.filter((index) => done.has(index)),
    failed: new Map(
      all.flatMap((index) => {
        const reason = refused.get(index);
        return reason === undefined || done.has(index) ? [] : [[index, reason] as const];
      }),
    ),
    withoutOutcome: all.filter((index) => !done.has(index) && !refused.has(index)),
    attempts: outcome?.attempts,
  };
}
