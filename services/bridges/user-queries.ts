import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { InvalidFieldsError } from "../../base/rpc/invalid-fields.ts";
import { errorMessage } from "../../base/text/system-error.ts";
import type { UserRow } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { TableType } from "../../gen/engage/analysis/v1/column_pb.ts";
import { Aggregation, EventMetricSchema, MetricType } from "../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../gen/engage/analysis/v1/event_view_pb.ts";
import { Comparator, type Filter, FilterSchema, Relation } from "../../gen/engage/analysis/v1/filter_pb.ts";
import {
  type EventUserDownloadQuery,
  EventUserDownloadQuerySchema,
  type EventUserQuery,
} from "../../gen/engage/analysis/v1/query_pb.ts";
import { type Warning, WarningReason } from "../../gen/engage/analysis/v1/result_pb.ts";
import type { UserChunk } from "../../store/events/events.ts";
import type { AnalysisEngine, EngineCall } from "../analysis/engine.ts";
import type { AnalysisProject } from "../analysis/project/project.ts";
import { AnalysisRefusal, returnCodes } from "../analysis/refusal/refusal.ts";
import { AudienceUnavailableError, type UserChoice } from "../channel/audience/source.ts";

/** No event is older. */
const firstTime = "1970-01-01 00:00:00";
/** Events may be dated this far in the future, including the difference between zones. */
const maxAheadMs = 5 * 86_400_000;

export interface UserConditions {
  readonly filts: Filter[];
  readonly relation: Relation;
}

/** A query for users: those who meet conditions, or those counted by one number of an analysis. */
export type UserQuery =
  | { readonly kind: "conditions"; readonly conditions: UserConditions }
  | { readonly kind: "analysis"; readonly query: EventUserQuery };

export interface UserRequest {
  readonly projectId: number;
  readonly query: UserQuery;
  /** Ids and user properties to return. */
  readonly columns: readonly string[];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export type UserEngines = Pick<AnalysisProject, "engine" | "users">;

export function queryOf(choice: UserChoice): UserQuery {
  switch (choice.case) {
    case "analysis":
      return { kind: "analysis", query: choice.value };
    case "users":
      return { kind: "conditions", conditions: choice.value };
    case "cohort": {
      const { name, day } = choice.value;
      const member = create(FilterSchema, {
        columnName: name,
        tableType: TableType.CLUSTER,
        specifiedClusterDate: day,
        comparator: Comparator.BELONG_TO_CLUSTER,
      });
      return { kind: "conditions", conditions: { filts: [member], relation: Relation.AND } };
    }
  }
}

/** Returns the query for users whose property equals one of the texts. */
export function lookupQuery(property: string, texts: readonly string[]): UserQuery {
  const filter = create(FilterSchema, {
    columnName: property,
    tableType: TableType.USER,
    comparator: Comparator.EQUAL,
    ftv: [...texts],
  });
  return { kind: "conditions", conditions: { filts: [filter], relation: Relation.AND } };
}

/** Reads found users: in the form of the store, or as rows with a value for each column. */
export interface FoundReader<T> {
  users(some: UserChunk): T;
  rows(some: readonly UserRow[]): T;
}

/**
 * Runs a query and yields what is read of the users, some at a time.
 * @throws InvalidFieldsError naming the fields of the query, AudienceUnavailableError
 */
export async function* queryUsers<T>(
  engines: UserEngines,
  request: UserRequest,
  reader: FoundReader<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  try {
    const selected = await selectUsers(engines, request, signal);
    if (selected === undefined) {
      yield* readUsers(engines.engine, downloadQueryOf(request), callOf(request, signal), reader);
    } else for await (const some of selected) yield reader.users(some);
  } catch (error) {
    throw signal.aborted ? error : toAudienceError(error);
  }
}

/**
 * Returns the warnings about unknown names in a query, without reading its users.
 * @throws InvalidFieldsError naming the fields of the query, AudienceUnavailableError
 */
export async function findUnknownNames(
  engines: UserEngines,
  request: UserRequest,
  signal: AbortSignal,
): Promise<readonly Warning[]> {
  try {
    // Checks the conditions; warnings come only with the header of a download.
    await selectUsers(engines, request, signal);
    const found = engines.engine.downloadUsers(downloadQueryOf(request), callOf(request, signal));
    for await (const { content } of found) {
      const warnings = content.case === "header" ? (content.value.info?.warnings ?? []) : [];
      return warnings.filter(({ reason }) => reason === WarningReason.UNKNOWN_NAME);
    }
    return [];
  } catch (error) {
    throw signal.aborted ? error : toAudienceError(error);
  }
}

/** Returns undefined when the users can only be found through their events. */
async function selectUsers(
  { users }: UserEngines,
  { projectId, query, columns }: UserRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<UserChunk> | undefined> {
  return query.kind === "conditions"
    ? await users?.select(query.conditions, columns, signal, channelCaller(projectId))
    : undefined;
}

function callOf({ projectId }: UserRequest, signal: AbortSignal): EngineCall {
  return { signal, caller: channelCaller(projectId), rest: undefined, refusesUndeclared: true };
}

/** Yields what is read of the users of a number, some at a time. */
export async function* readUsers<T>(
  engine: Pick<AnalysisEngine, "downloadUsers" | "findUsers">,
  query: EventUserDownloadQuery,
  call: EngineCall,
  reader: FoundReader<T>,
): AsyncGenerator<T> {
  if (engine.findUsers !== undefined) {
    for await (const some of engine.findUsers(query, call)) yield reader.users(some);
    return;
  }
  for await (const { content } of engine.downloadUsers(query, call)) {
    if (content.case === "rows") yield reader.rows(content.value.rows);
  }
}

/** Conditions become a query for the users who have had any event and meet them. */
function downloadQueryOf({ projectId, query, columns, nowMs }: UserRequest): EventUserDownloadQuery {
  const selectedColumns = [...columns];
  if (query.kind === "conditions") {
    return create(EventUserDownloadQuerySchema, {
      projectId: BigInt(projectId),
      eventView: {
        filts: query.conditions.filts,
        relation: query.conditions.relation,
        timeParticleSize: TimeParticleSize.TOTAL,
        startTime: firstTime,
        endTime: formatQueryTime(nowMs + maxAheadMs),
      },
      events: [countUsers("anyEvent")],
      eventIndex: 0,
      selectedColumns,
    });
  }
  const { eventView, events, sliceDate, sliceGroupVal, eventIndex, zoneOffset } = query.query;
  return create(EventUserDownloadQuerySchema, {
    projectId: BigInt(projectId),
    events,
    sliceDate,
    sliceGroupVal,
    selectedColumns,
    ...(eventView && { eventView }),
    ...(eventIndex !== undefined && { eventIndex }),
    ...(zoneOffset !== undefined && { zoneOffset }),
  });
}

function toAudienceError(error: unknown): Error {
  if (error instanceof AnalysisRefusal && error.returnCode === returnCodes.parameter) {
    const { violations, message } = error;
    return new InvalidFieldsError(violations.length > 0 ? violations : [{ field: "", description: message }]);
  }
  return new AudienceUnavailableError(errorMessage(error), { cause: error });
}

/** Returns the metric that counts the different users who had an event. */
export function countUsers(
  eventName: string,
  filts: readonly Filter[] = [],
): MessageInitShape<typeof EventMetricSchema> {
  return create(EventMetricSchema, {
    type: MetricType.NORMAL,
    eventName,
    analysis: Aggregation.TRIG_USER_NUM,
    filts: [...filts],
  });
}

/** Names the channels of a project as one caller, so that they share the engine with its tokens. */
export function channelCaller(projectId: number): string {
  return `channels of ${projectId}`;
}

/** Formats a time in UTC as queries expect it, such as `2026-01-31 12:00:00`. */
export function formatQueryTime(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, 19);
}
