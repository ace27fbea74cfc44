import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { numberOf } from "../../../base/protobuf/enum-words.ts";
import {
  type GroupBySchema,
  type TableType,
  TableTypeSchema,
} from "../../../gen/engage/analysis/v1/column_pb.ts";
import {
  Aggregation,
  AggregationSchema,
  type EventMetricSchema,
  MetricType,
} from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import {
  type EventView,
  EventViewSchema,
  type TimeParticleSize,
  TimeParticleSizeSchema,
} from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import {
  type Comparator,
  ComparatorSchema,
  type FilterSchema,
  type Relation,
  RelationSchema,
  type TimeUnit,
  TimeUnitSchema,
} from "../../../gen/engage/analysis/v1/filter_pb.ts";
import type { FilterArguments, GroupArguments, MetricArguments, QueryArguments } from "./arguments.ts";

/** Returns the conditions of arguments as messages. */
export function filterMessages(filters: readonly FilterArguments[]): MessageInitShape<typeof FilterSchema>[] {
  return filters.map(({ column, table, comparator, values, unit }) => ({
    columnName: column,
    tableType: tableOf(table),
    comparator: numberOf(ComparatorSchema, comparator) as Comparator,
    ftv: values.map(String),
    timeUnit: unit === undefined ? 0 : (numberOf(TimeUnitSchema, unit) as TimeUnit),
  }));
}

export function relationOf(word: string): Relation {
  return numberOf(RelationSchema, word) as Relation;
}

function tableOf(word: string): TableType {
  return numberOf(TableTypeSchema, word) as TableType;
}

/** Returns the range, steps, groups and conditions of a query. */
export function viewOf(query: QueryArguments): EventView {
  const { compare } = query;
  return create(EventViewSchema, {
    recentDay: query.recent_day ?? "",
    startTime: query.start_time ?? "",
    endTime: query.end_time ?? "",
    timeParticleSize: numberOf(TimeParticleSizeSchema, query.unit) as TimeParticleSize,
    groupBy: query.group_by.map(groupOf),
    filts: filterMessages(query.filters),
    relation: relationOf(query.relation),
    ...(compare !== undefined && {
      comparedByTime: true,
      comparedRecentDay: compare.recent_day ?? "",
      comparedStartTime: compare.start_time ?? "",
      comparedEndTime: compare.end_time ?? "",
    }),
  });
}

function groupOf({ column, table, boundaries = [] }: GroupArguments): MessageInitShape<typeof GroupBySchema> {
  return { columnName: column, tableType: tableOf(table), propertyRange: boundaries.join(",") };
}

/** Returns the metrics of a query. */
export function metricsOf(query: QueryArguments): MessageInitShape<typeof EventMetricSchema>[] {
  return query.metrics.map((metric) => ({
    eventName: metric.event,
    filts: filterMessages(metric.filters),
    relation: relationOf(metric.relation),
    ...measureOf(metric),
  }));
}

function measureOf({ formula, measure, property, percentile }: MetricArguments) {
  if (formula !== undefined) return { type: MetricType.CUSTOMIZED, customEvent: formula };
  const analysis =
    measure === undefined ? Aggregation.TOTAL_TIMES : (numberOf(AggregationSchema, measure) as Aggregation);
  return {
    type: MetricType.NORMAL,
    analysis,
    quota: property ?? "",
    analysisParams: percentile === undefined ? "" : String(percentile),
  };
}
