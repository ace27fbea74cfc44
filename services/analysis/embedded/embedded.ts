import { create } from "@bufbuild/protobuf";
import { createYield } from "../../../base/async/yield.ts";
import { userIdNames } from "../../../base/record/user-ids.ts";
import {
  AnalyzeEventsResponseSchema,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { EventUserDownloadQuery } from "../../../gen/engage/analysis/v1/query_pb.ts";
import {
  type EventStore,
  EventsUnavailableError,
  PatternTooLargeError,
  PlanTooLargeError,
  TooManyQueriesError,
  type UserChunk,
} from "../../../store/events/events.ts";
import { findLargestPattern } from "../describe/condition/pattern-size.ts";
import { type CheckQuery, checkLimit, checkTimeout } from "../describe/describe.ts";
import type { EventPlan } from "../describe/event-plan.ts";
import { defaultGroups, maxListedUsers } from "../describe/limits.ts";
import {
  refuseLargePattern,
  refuseLargePlan,
  refuseUndeclared,
  warnUndeclared,
} from "../describe/problems.ts";
import type { OutsideAxis } from "../describe/time/slice-date.ts";
import {
  checkColumns,
  checkEventIndex,
  checkSlice,
  compileUserScan,
  type SliceQuery,
} from "../describe/user-slice.ts";
import type { AnalysisEngine, AnyQuery, EngineCall } from "../engine.ts";
import type { ProjectDefinitions } from "../project/definitions.ts";
import { AnalysisRefusal, refuseUnavailable, returnCodes } from "../refusal/refusal.ts";
import { writeUserList } from "../rest/write-users.ts";
import { type RankedResult, rankResult } from "../shape/ranked-result.ts";
import { runScans } from "../shape/scan-run.ts";
import { shapeAnalysis, shapeDownload } from "../shape/shape.ts";
import { shapeUserList, shapeUserTable, takeUsers, type UserListParts } from "../shape/user-list.ts";
import { userProperties, valuesOf } from "../shape/users.ts";
import { type PlanSource, planQuery, readQuery } from "./plan-query.ts";

/** Time after which a retry is suggested when there are too many queries: most queries take less. */
const busyRetryMs = 1_000;

/** Creates the engine that runs the queries of one project on the event store. */
export function createEmbeddedEngine(source: PlanSource): Required<AnalysisEngine> {
  const { store, project, now } = source;
  const success = { returnCode: 0, returnMessage: "success" };
  const rank = async (
    plan: EventPlan,
    limit: number,
    held: AsyncDisposableStack,
    signal: AbortSignal,
  ): Promise<RankedResult> =>
    rankResult(plan, await runScans(plan, store, held, signal), limit, createYield({ signal }));
  return {
    version: () => store.schema(project.id).version,
    async faultsOf(query, signal) {
      try {
        await readQuery(source, query, { signal, check: checkOf(query, source) });
        return [];
      } catch (error) {
        // An unavailable store is not a fault of the query.
        return error instanceof AnalysisRefusal ? error.violations : [];
      }
    },
    analyze: (query, { signal, caller, trace }) =>
      mapStoreErrors(query, async () => {
        await using held = new AsyncDisposableStack();
        const plan = await planQuery(source, query, { signal, caller, trace, check: checkOf(query, source) });
        const limit = query.limit ?? defaultGroups;
        const data = await shapeAnalysis(await rank(plan, limit, held, signal), limit, now());
        return { message: create(AnalyzeEventsResponseSchema, { ...success, data }) };
      }),
    listUsers: (query, { signal, caller, trace, rest }) =>
      mapStoreErrors(query, async () => {
        const plan = await planQuery(source, query, { signal, caller, trace, check: checkOf(query, source) });
        const parts: UserListParts = {
          plan,
          // One more user shows that the list is cut.
          found: findUsers(source, plan, query, signal, { limit: maxListedUsers + 1 }),
          columMeta: Object.fromEntries(displayNames(store, project)),
        };
        if (rest !== undefined) {
          return writeUserList(success, (take) => takeUsers(parts, take), createYield({ signal }));
        }
        const data = await shapeUserList(parts);
        return { message: create(ListEventUsersResponseSchema, { ...success, data }) };
      }),
    download: (query, { signal, caller, trace }) =>
      mapStoreErrorsOf(query, async function* () {
        await using held = new AsyncDisposableStack();
        const plan = await planQuery(source, query, { signal, caller, trace, check: checkOf(query, source) });
        yield* shapeDownload(await rank(plan, Number.POSITIVE_INFINITY, held, signal));
      }),
    downloadUsers: (query, call) =>
      mapStoreErrorsOf(query, async function* () {
        const { selectedColumns: columns } = query;
        const plan = await planDownload(source, query, call);
        const names = displayNames(store, project);
        const nameOf = (column: string) => names.get(column.toLowerCase()) ?? column;
        yield* shapeUserTable(
          plan,
          findUsers(source, plan, query, call.signal, { columns }),
          columns,
          nameOf,
        );
      }),
    findUsers: (query, call) =>
      mapStoreErrorsOf(query, async function* () {
        const plan = await planDownload(source, query, call);
        yield* findUsers(source, plan, query, call.signal, { columns: query.selectedColumns });
      }),
  };
}

/** Returns the check of the members that only one kind of query has. */
function checkOf(
  query: AnyQuery,
  { store, project }: PlanSource,
  outsideAxis: OutsideAxis = "warn",
): CheckQuery {
  return (problems, axes) => {
    if (query.$typeName === "engage.analysis.v1.EventQuery") checkLimit(query, problems);
    // An omitted index is not a member.
    if (!("sliceGroupVal" in query)) return;
    checkEventIndex(query, problems);
    if ("selectedColumns" in query) {
      checkColumns(query.selectedColumns, store.schema(project.id), problems);
    } else checkTimeout(query.timeoutSeconds, problems);
    checkSlice(query, axes, problems, outsideAxis);
  };
}

/** Plans a query for the users of a number. */
function planDownload(
  source: PlanSource,
  query: EventUserDownloadQuery,
  { signal, caller, trace, refusesUndeclared }: EngineCall,
): Promise<EventPlan> {
  const reportUndeclared = refusesUndeclared ? refuseUndeclared : warnUndeclared;
  const check = checkOf(query, source, refusesUndeclared ? "refuse" : "warn");
  return planQuery(source, query, { signal, caller, trace, reportUndeclared, check });
}

/** @param columns default all. @param limit most users that are read */
async function* findUsers(
  { store, project }: PlanSource,
  plan: EventPlan,
  query: SliceQuery,
  signal: AbortSignal,
  { columns, limit }: { readonly columns?: readonly string[]; readonly limit?: number },
): AsyncGenerator<UserChunk> {
  const found = compileUserScan(plan, query);
  // A metric of constants has no users, and neither has a step outside of the range.
  if (found === undefined) return;
  const values = columns && valuesOf(columns, store.schema(project.id));
  yield* store.users({ ...found, ...values, ...(limit !== undefined && { limit }) }, signal);
}

function displayNames(store: EventStore, project: ProjectDefinitions): ReadonlyMap<string, string> {
  const names = [...userIdNames, ...userProperties(store.schema(project.id)).map(({ name }) => name)];
  return new Map(names.map((name) => [name, project.displayNames.get(name) ?? name]));
}

async function mapStoreErrors<T>(query: AnyQuery, respond: () => Promise<T>): Promise<T> {
  try {
    return await respond();
  } catch (error) {
    throw toRefusal(error, query);
  }
}

async function* mapStoreErrorsOf<T>(query: AnyQuery, respond: () => AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* respond();
  } catch (error) {
    throw toRefusal(error, query);
  }
}

function toRefusal(error: unknown, query: AnyQuery): unknown {
  if (error instanceof PatternTooLargeError) return refuseLargePattern(findLargestPattern(query));
  if (error instanceof PlanTooLargeError) return refuseLargePlan();
  if (error instanceof TooManyQueriesError) {
    return new AnalysisRefusal(returnCodes.busy, error.message, { retryAfterMs: busyRetryMs, cause: error });
  }
  if (error instanceof EventsUnavailableError) {
    return refuseUnavailable(error, "the event store is temporarily unavailable");
  }
  return error;
}
