import type { HandlerContext } from "@connectrpc/connect";
import { untilAborted } from "../../base/async/abort.ts";
import { kRequestAttachment } from "../../base/rpc/rest-codec.ts";
import type { Violation } from "../../base/rpc/violation.ts";
import type { Admission } from "./admission/admission.ts";
import type { AnyQuery, RestCall } from "./engine.ts";
import { type AnalysisObserver, type EngineName, type Operation, outcomeOf } from "./observer.ts";
import type { AnalysisProject } from "./project/project.ts";
import { toCallError } from "./refusal/call-error.ts";
import { mergeViolations } from "./refusal/merge-violations.ts";
import { type QueryOrigin, refuseQuery } from "./rest/query-body.ts";
import { eachWithin, startQueryLimit } from "./time-limit.ts";

/** Members of all requests. */
interface QueryRequest<Query extends AnyQuery> {
  readonly token: string;
  readonly query?: Query | undefined;
}

/** An admitted query. */
export interface QueryCall<Query> {
  readonly project: AnalysisProject;
  /** The token for which it runs. */
  readonly asker: string;
  readonly query: Query;
  readonly rest: RestCall | undefined;
}

/**
 * Returns the query of a request if its token has access to the project.
 * @param faults faults of the request outside of its query
 * @param notes gets the engine of the project
 * @throws AnalysisRefusal with all faults that can be found
 */
export async function admitQuery<Query extends AnyQuery>(
  { token, query }: QueryRequest<Query>,
  context: HandlerContext,
  admission: Admission,
  faults: readonly Violation[],
  notes: CallInfo,
): Promise<QueryCall<Query>> {
  const origin = context.values.get(kRequestAttachment) as QueryOrigin | undefined;
  const form = query === undefined ? [missingQuery] : [...(origin?.refusal?.violations ?? []), ...faults];
  const credentials = { token, header: context.requestHeader };
  const { project, asker } = admission.admit(credentials, query?.projectId ?? 0n, form);
  if (query === undefined || form.length > 0) {
    const meaning = query && (await project.engine.faultsOf?.(query, context.signal));
    throw refuseQuery(mergeViolations(form, meaning ?? []));
  }
  notes.engine = project.engineName;
  const rest = origin && { body: origin.body, search: searchOf(context) };
  return { project, asker, query, rest };
}

const missingQuery: Violation = { field: "query", description: "is required" };

function searchOf({ url }: HandlerContext): URLSearchParams {
  const { searchParams } = new URL(url);
  searchParams.delete("token");
  return searchParams;
}

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
