import { untilAborted } from "../../base/async/abort.ts";
import { type AnalysisObserver, type EngineName, type Operation, outcomeOf } from "./observer.ts";
import { toCallError } from "./refusal/call-error.ts";
import { eachWithin, startQueryLimit } from "./time-limit.ts";

/** What a call reports to the observer when it ends. */
export interface CallInfo {
  /** Set as soon as it is known. */
  engine: EngineName;
}

/** Runs a unary call: reports to the observer and maps errors for the caller. */
export async function runCall<T>(
  observer: AnalysisObserver,
  operation: Operation,
  signal: AbortSignal,
  work: (notes: CallInfo) => Promise<T>,
): Promise<T> {
  const startedMs = performance.now();
  const notes: CallInfo = { engine: "none" };
  let outcome = "ok";
  observer.started(operation);
  try {
    return await work(notes);
  } catch (error) {
    outcome = outcomeOf(error, signal);
    throw toCallError(error);
  } finally {
    observer.finished(operation, notes.engine, outcome, (performance.now() - startedMs) / 1_000);
  }
}

/** Runs a call that returns a stream, as runCall does. A caller that stops reading has cancelled it. */
export async function* streamCall<T>(
  observer: AnalysisObserver,
  operation: Operation,
  signal: AbortSignal,
  work: (notes: CallInfo) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const startedMs = performance.now();
  const notes: CallInfo = { engine: "none" };
  let outcome = "cancelled";
  observer.started(operation);
  try {
    yield* work(notes);
    outcome = "ok";
  } catch (error) {
    outcome = outcomeOf(error, signal);
    throw toCallError(error);
  } finally {
    observer.finished(operation, notes.engine, outcome, (performance.now() - startedMs) / 1_000);
  }
}

/** Runs `work` with a signal that is aborted at the time limit or with the caller's signal; then throws its reason. */
export async function withinTime<T>(
  caller: AbortSignal,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = startQueryLimit(caller, seconds);
  return await untilAborted(work(limit.signal), limit.signal);
}

/** Time limits of a stream: for all of it, and for the time in which its client reads nothing. */
export interface StreamTimes {
  readonly seconds: number;
  readonly stallMs: number;
}

/** Runs a stream as withinTime does. */
export async function* eachWithinTime<T>(
  caller: AbortSignal,
  { seconds, stallMs }: StreamTimes,
  work: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  using limit = startQueryLimit(caller, seconds);
  yield* eachWithin(work(limit.signal), { signal: limit.signal, stallMs });
}
