import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { TableType } from "../gen/engage/analysis/v1/column_pb.ts";
import { Aggregation, EventMetricSchema, MetricType } from "../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../gen/engage/analysis/v1/event_view_pb.ts";
import { Comparator, type Filter, FilterSchema, Relation } from "../gen/engage/analysis/v1/filter_pb.ts";
import {
  type EventUserDownloadQuery,
  EventUserDownloadQuerySchema,
} from "../gen/engage/analysis/v1/query_pb.ts";
import type { UserChoice } from "../services/channel/audience/source.ts";

/** Any event of a user tells that there is one; nothing is older. */
const firstTime = "1970-01-01 00:00:00";
/** Events may be so far ahead of the present, and days of zones further. */
const aheadMs = 5 * 86_400_000;

/** Asks for the users that an audience chooses. @param columns what is to be known of them */
export function usersQuery(
  projectId: number,
  choice: UserChoice,
  columns: readonly string[],
  nowMs: number,
): EventUserDownloadQuery {
  const selectedColumns = [...columns];
  switch (choice.case) {
    case "analysis": {
      const { eventView, events, sliceDate, sliceGroupVal, eventIndex, zoneOffset } = choice.value;
      return create(EventUserDownloadQuerySchema, {
        ...{ projectId: BigInt(projectId), events, sliceDate, sliceGroupVal, selectedColumns },
        ...(eventView && { eventView }),
        ...(eventIndex !== undefined && { eventIndex }),
        ...(zoneOffset !== undefined && { zoneOffset }),
      });
    }
    case "users":
      return usersOfAnyEvent(projectId, choice.value.filts, choice.value.relation, selectedColumns, nowMs);
    case "cohort": {
      const { name, day } = choice.value;
      const member = create(FilterSchema, {
        ...{ columnName: name, tableType: TableType.CLUSTER, specifiedClusterDate: day },
        comparator: Comparator.BELONG_TO_CLUSTER,
      });
      return usersOfAnyEvent(projectId, [member], Relation.AND, selectedColumns, nowMs);
    }
  }
}

/** Asks for users by a property that is one of these texts. */
export function lookupQuery(
  projectId: number,
  property: string,
  texts: readonly string[],
  columns: readonly string[],
  nowMs: number,
): EventUserDownloadQuery {
  const filter = create(FilterSchema, {
    ...{ columnName: property, tableType: TableType.USER, comparator: Comparator.EQUAL, ftv: [...texts] },
  });
  return usersOfAnyEvent(projectId, [filter], Relation.AND, [...columns], nowMs);
}

function usersOfAnyEvent(
  projectId: number,
  filts: Filter[],
  relation: Relation,
  selectedColumns: string[],
  nowMs: number,
): EventUserDownloadQuery {
  return create(EventUserDownloadQuerySchema, {
    projectId: BigInt(projectId),
    eventView: {
      ...{ filts, relation, timeParticleSize: TimeParticleSize.TOTAL },
      ...{ startTime: firstTime, endTime: timeText(nowMs + aheadMs) },
    },
    events: [countUsers("anyEvent")],
    ...{ eventIndex: 0, selectedColumns },
  });
}

/** The number of different users who had an event. */
export function countUsers(
  eventName: string,
  filts: readonly Filter[] = [],
): MessageInitShape<typeof EventMetricSchema> {
  return create(EventMetricSchema, {
    ...{ type: MetricType.NORMAL, eventName, analysis: Aggregation.TRIG_USER_NUM, filts: [...filts] },
  });
}

/** As queries have it, by UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, 19);
}
