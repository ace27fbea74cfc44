import { create } from "@bufbuild/protobuf";
import { NullValue } from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import { type EventUserQuery, EventUserQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { GroupValue } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { brief } from "../tool.ts";
import { innerQuery } from "./arguments.ts";
import { metricsOf, viewOf } from "./messages.ts";

/** The arguments that name one number of a result. */
export const sliceFields = {
  query: innerQuery.describe("The arguments of query, without cursor.").meta(brief),
  metric: z.int().min(0).default(0).describe("Index in query.metrics."),
  time: z.string().optional().describe("The row's time; left out for unit total."),
  group: z
    .array(z.union([z.string(), z.null()]))
    .default([])
    .describe("The row's groups; null: no value."),
};

const slice = z.strictObject(sliceFields);

export type SliceArguments = z.output<typeof slice>;

/** Returns the query of the users behind one number. */
export function sliceQuery(
  { query, metric, time, group }: SliceArguments,
  projectId: bigint,
): EventUserQuery {
  return create(EventUserQuerySchema, {
    projectId,
    eventView: viewOf(query),
    events: metricsOf(query),
    sliceDate: query.unit === "total" ? "" : (time ?? ""),
    sliceGroupVal: group.map((label) => ({ value: groupValue(label) })),
    eventIndex: metric,
    ...(query.zone_offset !== undefined && { zoneOffset: query.zone_offset }),
  });
}

function groupValue(label: string | null): GroupValue["value"] {
  return label === null
    ? { case: "nullValue", value: NullValue.NULL_VALUE }
    : { case: "label", value: label };
}
