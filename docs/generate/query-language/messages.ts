import type { DescMessage } from "@bufbuild/protobuf";
import { EntityColumnSchema, GroupBySchema } from "../../../gen/engage/analysis/v1/column_pb.ts";
import {
  CustomFilterSchema,
  EventMetricSchema,
  QuotaEntitySchema,
  QuotaTimeRangeSchema,
} from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import {
  EventSplitSchema,
  EventViewSchema,
  QueryFeatureSchema,
} from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import { FilterSchema } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import {
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../gen/engage/analysis/v1/query_pb.ts";

/** The objects of requests, with where they stand. */
export const messages: readonly (readonly [title: string, desc: DescMessage])[] = [
  ["The request", EventQuerySchema],
  ["`eventView`", EventViewSchema],
  ["`eventView.groupBy[]`", GroupBySchema],
  ["`eventView.eventSplit`", EventSplitSchema],
  ["`eventView.queryFeature`", QueryFeatureSchema],
  ["`events[]`", EventMetricSchema],
  ["`events[].quotaEntities[]`", QuotaEntitySchema],
  ["`events[].quotaEntities[].taIdMeasure`", EntityColumnSchema],
  ["`events[].customFilters[]`", CustomFilterSchema],
  ["`events[].quotaTimeRanges[]`", QuotaTimeRangeSchema],
  ["`filts[]`", FilterSchema],
  ["A request for users", EventUserQuerySchema],
  ["A request for users as CSV", EventUserDownloadQuerySchema],
];

const restNames: ReadonlyMap<string, string> = new Map(
  messages.flatMap(([, desc]) => desc.fields.map(({ name, jsonName }) => [name, jsonName] as const)),
);

/** Returns a comment in one line, with the members that it names as REST writes them. */
export function withRestNames(comment: string): string {
  return comment
    .replace(/\s+/g, " ")
    .replace(/`([a-z_]+)`/g, (quoted, name: string) =>
      restNames.has(name) ? `\`${restNames.get(name)}\`` : quoted,
    );
}
