import { create } from "@bufbuild/protobuf";
import { EventViewSchema, TimeParticleSize } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import {
  type EventDownloadQuery,
  EventDownloadQuerySchema,
  type EventQuery,
  EventQuerySchema,
  type EventUserDownloadQuery,
  EventUserDownloadQuerySchema,
  type EventUserQuery,
  EventUserQuerySchema,
} from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { AnswerInfo } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { ResultRow } from "./series.ts";

/** One number of a result. */
export interface Point {
  readonly row: ResultRow;
  /** Label of its bucket. */
  readonly bucket: string;
  readonly value: number | undefined;
}

/** Returns a query with the days that its result has, so that it means the same on another day. */
export function pinRanges(query: EventQuery, info: AnswerInfo | undefined): EventQuery {
  const { eventView } = query;
  if (eventView === undefined || info === undefined) return query;
  const { range, comparedRange } = info;
  const view = create(EventViewSchema, {
    ...eventView,
    ...(range !== undefined && { recentDay: "", startTime: range.startTime, endTime: range.endTime }),
    ...(comparedRange !== undefined && {
      comparedRecentDay: "",
      comparedStartTime: comparedRange.startTime,
      comparedEndTime: comparedRange.endTime,
    }),
  });
  return create(EventQuerySchema, { ...query, eventView: view });
}

/** Returns the query for the users behind a point. */
export function usersQuery(query: EventQuery, point: Point): EventUserQuery {
  return create(EventUserQuerySchema, { ...sharedOf(query), ...sliceOf(query, point), ...timeoutOf(query) });
}

/** Returns the query for the file of all users behind a point. @param columns at least one */
export function usersFileQuery(
  query: EventQuery,
  point: Point,
  columns: readonly string[],
): EventUserDownloadQuery {
  return create(EventUserDownloadQuerySchema, {
    ...sharedOf(query),
    ...sliceOf(query, point),
    selectedColumns: [...columns],
  });
}

/** Returns the query for the file of all groups, also of those beyond the limit. */
export function groupsFileQuery(query: EventQuery): EventDownloadQuery {
  return create(EventDownloadQuerySchema, sharedOf(query));
}

function sharedOf({ projectId, eventView, events, zoneOffset }: EventQuery) {
  return {
    projectId,
    events,
    ...(eventView !== undefined && { eventView }),
    ...(zoneOffset !== undefined && { zoneOffset }),
  };
}

function timeoutOf({ timeoutSeconds }: EventQuery) {
  return timeoutSeconds === undefined ? {} : { timeoutSeconds };
}

/** A result of the whole range has the users of both ranges under labels of their own. */
function sliceOf({ eventView }: EventQuery, { row, bucket }: Point) {
  const isTotal = eventView?.timeParticleSize === TimeParticleSize.TOTAL;
  return {
    sliceDate: isTotal && !row.isCompared ? "" : bucket,
    sliceGroupVal: [...row.groupCols, ...(row.split === undefined ? [] : [row.split])],
    eventIndex: row.eventIndex,
  };
}
