import type { HandlerContext } from "@connectrpc/connect";
import { untilAborted } from "../../base/async/abort.ts";
import { kRequestAttachment } from "../../base/rpc/rest-codec.ts";
import type { Admission } from "./admission/admission.ts";
import type { AnyQuery, RestCall } from "./engine.ts";
import { type AnalysisObserver, type EngineName, type Operation, outcomeOf } from "./observer.ts";
import type { AnalysisProject } from "./project/project.ts";
import { toCallError } from "./refusal/call-error.ts";
import { joinFaults } from "./refusal/join-faults.ts";
import type { QueryViolation } from "./refusal/refusal.ts";
import { type QueryOrigin, refuseQuery } from "./rest/query-body.ts";
import { eachWithin, startQueryLimit } from "./time-limit.ts";

/** What all requests have. */
interface QueryRequest {
  readonly token: string;
  readonly query?: AnyQuery | undefined;
}

/** An admitted query. */
export interface QueryCall<Query> {
  readonly project: AnalysisProject;
  /** For whom it runs. */
  readonly asker: string;
  readonly query: Query;
  readonly rest: RestCall | undefined;
}

/**
 * The query of a request, if its token may ask it.
 * @param faults of the request besides its query
 * @throws AnalysisRefusal with all that is wrong as far as it can be told
 */
export async function admitQuery<Request extends QueryRequest>(
  request: Request,
  context: HandlerContext,
  admission: Admission,
  faults: readonly QueryViolation[],
): Promise<QueryCall<NonNullable<Request["query"]>>> {
  const query = request.query as NonNullable<Request["query"]> | undefined;
  const origin = context.values.get(kRequestAttachment) as QueryOrigin | undefined;
  const form = query === undefined ? [missingQuery] : [...(origin?.refusal?.violations ?? []), ...faults];
  const credentials = { token: request.token, header: context.requestHeader };
  const { project, asker } = admission.admit(credentials, query?.projectId ?? 0n, form);
  if (query === undefined || form.length > 0) {
    const meaning = query && (await project.engine.faultsOf?.(query, context.signal));
    throw refuseQuery(joinFaults(form, meaning ?? []));
  }
  const rest = origin && { body: origin.body, search: searchOf(context) };
  return { project, asker, query, rest };
}

const missingQuery: QueryViolation = { field: "query", description: "is required" };

function searchOf({ url }: HandlerContext): URLSearchParams {
  const { searchParams } = new URL(url);
  searchParams.delete("token");
  return searchParams;
}

/** Tells the observer of one call. */
export interface CallNotes {
  /** Set as soon as it is known. */
  engine: EngineName;
}

/** Runs a unary call: tells the observer, and maps errors for the caller. */
export async function runCall<T>(
  observer: AnalysisObserver,
  operation: Operation,
  signal: AbortSignal,
  work: (notes: CallNotes) => Promise<T>,
): Promise<T> {
  const startedMs = performance.now();
  const notes: CallNotes = { engine: "none" };
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

/** The same for a call that answers with a stream. A caller who stops reading has left. */
export async function* streamCall<T>(
  observer: AnalysisObserver,
  operation: Operation,
  signal: AbortSignal,
  work: (notes: CallNotes) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const startedMs = performance.now();
  const notes: CallNotes = { engine: "none" };
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

/** `work` with a signal that is aborted when the time is over or the caller has left; then its reason is thrown. */
export async function withinTime<T>(
  caller: AbortSignal,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = startQueryLimit(caller, seconds);
  return await untilAborted(work(limit.signal), limit.signal);
}

/** How long a stream may take, and how long its reader may take nothing. */
export interface StreamTimes {
  readonly seconds: number;
  readonly stallMs: number;
}

/** The same for a stream. */
export async function* eachWithinTime<T>(
  caller: AbortSignal,
  { seconds, stallMs }: StreamTimes,
  work: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  using limit = startQueryLimit(caller, seconds);
  yield* eachWithin(work(limit.signal), { signal: limit.signal, stallMs });
}
