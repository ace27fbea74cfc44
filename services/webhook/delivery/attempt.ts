import type { CallEnd } from "../../../base/async/breaker.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { describeError } from "../../../base/text/system-error.ts";
import type { AttemptRecord } from "../../../store/inbox/inbox.ts";
import {
  downOutcome,
  type HandedBatch,
  type Target,
  type TargetAnswer,
  type TargetOutcome,
} from "../targets/target.ts";
import type { CallReport } from "./observer.ts";

export interface AttemptOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Aborts the call. */
  readonly signal: AbortSignal;
}

export interface AttemptResult {
  /** The outcome of each element, in their order. */
  readonly outcomes: readonly TargetOutcome[];
  /** How the call ended, for the breaker of the target. */
  readonly end: CallEnd;
  readonly report: CallReport;
  /** The attempts of the elements, for their time lines. */
  readonly attempts: readonly AttemptRecord[];
}

/** Calls a target once. Never rejects, and ends in time even if the target does not. */
export async function attemptCall(
  target: Target,
  batch: HandedBatch,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const { clock, signal } = options;
  const startMs = clock.monotonicMs();
  const startedAtMs = clock.now();
  let answer: TargetAnswer | undefined;
  const call = new AbortController();
  const abort = (): void => call.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    const found = await Promise.race([
      deliver(target, batch, call.signal, (one) => {
        answer = one;
      }),
      giveUp(batch, options, call.signal),
    ]);
    const outcomes = batch.elements.map((_, at) => found[at] ?? noResult);
    // An aborted call says nothing about the target unless it had ended before.
    const end = signal.aborted && found.every(isDown) ? ({ kind: "none" } as const) : endOf(outcomes);
    const durationMs = clock.monotonicMs() - startMs;
    const attempts = attemptsOf(batch, outcomes, { startedAtMs, durationMs, answer });
    return { outcomes, end, report: reportOf(outcomes, durationMs), attempts };
  } finally {
    signal.removeEventListener("abort", abort);
    call.abort(callOver);
  }
}

/** Created once: without a reason, each abort creates an error with a stack trace. */
const callOver = new Error("the call is over");

const noResult: TargetOutcome = { kind: "retry", reason: "the target gave no result for the message" };

async function deliver(
  target: Target,
  batch: HandedBatch,
  signal: AbortSignal,
  answered: (answer: TargetAnswer) => void,
): Promise<readonly TargetOutcome[]> {
  try {
    return await target.deliver(batch, signal, answered);
  } catch (error) {
    return batch.elements.map(() => downOutcome(describeError(error)));
  }
}

/** Returns the outcomes of a call that has no result before the timeout or the abort. */
async function giveUp(
  { elements }: HandedBatch,
  { clock, timeoutMs, signal }: AttemptOptions,
  call: AbortSignal,
): Promise<readonly TargetOutcome[]> {
  await clock.wait(timeoutMs, call);
  const reason = signal.aborted ? "aborted by this service" : `no response within ${timeoutMs} ms`;
  return elements.map(() => downOutcome(reason));
}

function isDown(outcome: TargetOutcome): boolean {
  return outcome.kind === "retry" && outcome.isTargetDown === true;
}

function endOf(outcomes: readonly TargetOutcome[]): CallEnd {
  const down = outcomes.find(isDown);
  return down?.kind === "retry" ? { kind: "failed", afterMs: down.afterMs } : { kind: "ok" };
}

interface CallFacts {
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly answer: TargetAnswer | undefined;
}

/** Returns an attempt for each group of elements with the same outcome and reason. */
function attemptsOf(
  { elements }: HandedBatch,
  outcomes: readonly TargetOutcome[],
  { startedAtMs, durationMs, answer }: CallFacts,
): readonly AttemptRecord[] {
  const call = { startedAtMs, durationMs, status: answer?.status ?? null, answer: answer?.text || null };
  if (outcomes.every(({ kind }) => kind === "done")) {
    return [{ ...call, indexes: elements.map(({ index }) => index), outcome: "done", reason: null }];
  }
  const groups = new Map<string, AttemptRecord & { readonly indexes: number[] }>();
  for (const [at, outcome] of outcomes.entries()) {
    const reason = outcome.kind === "done" ? null : outcome.reason;
    const key = `${outcome.kind} ${reason}`;
    const group = groups.get(key) ?? { ...call, indexes: [], outcome: outcome.kind, reason };
    group.indexes.push(elements[at]!.index);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function reportOf(outcomes: readonly TargetOutcome[], durationMs: number): CallReport {
  const count = (kind: TargetOutcome["kind"]): number => outcomes.filter((one) => one.kind === kind).length;
  const [reason] = outcomes.flatMap((outcome) => (outcome.kind === "done" ? [] : [outcome.reason]));
  return {
    durationMs,
    done: count("done"),
    retry: count("retry"),
    dead: count("dead"),
    reason,
  };
}
