import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { dayMs } from "../../base/time/units.ts";
import { TableType } from "../../gen/engage/analysis/v1/column_pb.ts";
import { Aggregation, EventMetricSchema, MetricType } from "../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSize } from "../../gen/engage/analysis/v1/event_view_pb.ts";
import { Comparator, type Filter, FilterSchema, Relation } from "../../gen/engage/analysis/v1/filter_pb.ts";
import {
  type EventUserDownloadQuery,
  EventUserDownloadQuerySchema,
  type EventUserQuery,
} from "../../gen/engage/analysis/v1/query_pb.ts";
import type { UserChoice } from "../channel/audience/source.ts";

/** Any event of a user tells that there is one; nothing is older. */
const firstTime = "1970-01-01 00:00:00";
/** Events may be so far ahead of the present, and days of zones further. */
const aheadMs = 5 * dayMs;

export interface Conditions {
  readonly filts: Filter[];
  readonly relation: Relation;
}

/** Who is asked for: users by what is known of them, or those behind a number of an analysis. */
export type UserQuestion =
  | { readonly kind: "known"; readonly conditions: Conditions }
  | { readonly kind: "analysis"; readonly query: EventUserQuery };

export function questionOf(choice: UserChoice): UserQuestion {
  switch (choice.case) {
    case "analysis":
      return { kind: "analysis", query: choice.value };
    case "users":
      return { kind: "known", conditions: choice.value };
    case "cohort": {
      const { name, day } = choice.value;
      const member = create(FilterSchema, {
        columnName: name,
        tableType: TableType.CLUSTER,
        specifiedClusterDate: day,
        comparator: Comparator.BELONG_TO_CLUSTER,
      });
      return { kind: "known", conditions: { filts: [member], relation: Relation.AND } };
    }
  }
}

/** Asks for users by a property that is one of these texts. */
export function lookupQuestion(property: string, texts: readonly string[]): UserQuestion {
  const filter = create(FilterSchema, {
    columnName: property,
    tableType: TableType.USER,
    comparator: Comparator.EQUAL,
    ftv: [...texts],
  });
  return { kind: "known", conditions: { filts: [filter], relation: Relation.AND } };
}

/** The same of those who have had an event that the conditions hold for, for engines that have no other way. */
export function eventUsersQuery(
  projectId: number,
  question: UserQuestion,
  columns: readonly string[],
  nowMs: number,
): EventUserDownloadQuery {
  const selectedColumns = [...columns];
  if (question.kind === "known") {
    return create(EventUserDownloadQuerySchema, {
      projectId: BigInt(projectId),
      eventView: {
        filts: question.conditions.filts,
        relation: question.conditions.relation,
        timeParticleSize: TimeParticleSize.TOTAL,
        startTime: firstTime,
        endTime: timeText(nowMs + aheadMs),
      },
      events: [countUsers("anyEvent")],
      eventIndex: 0,
      selectedColumns,
    });
  }
  const { eventView, events, sliceDate, sliceGroupVal, eventIndex, zoneOffset } = question.query;
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

/** The number of different users who had an event. */
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

/** Audiences share the engine with the tokens of their project. */
export function channelAsker(projectId: number): string {
  return `channels of ${projectId}`;
}

/** As queries have it, by UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, 19);
}
