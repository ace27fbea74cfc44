import { z } from "zod";
import { wordsOf } from "../../../base/protobuf/enum-words.ts";
import { TableTypeSchema } from "../../../gen/engage/analysis/v1/column_pb.ts";
import { AggregationSchema } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { TimeParticleSizeSchema } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import {
  ComparatorSchema,
  RelationSchema,
  TimeUnitSchema,
} from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { cursor, projectId } from "../project.ts";
import { brief } from "../tool.ts";

const words = (list: readonly string[]) => z.enum(list as [string, ...string[]]);

const table = words(wordsOf(TableTypeSchema).filter((word) => word !== "user_cluster"))
  .default("event")
  .describe("cluster: a cohort or tag.");

const value = z.union([z.string(), z.number(), z.boolean()]);

const filter = z.strictObject({
  column: z.string(),
  table,
  comparator: words(wordsOf(ComparatorSchema)),
  values: z.array(value).max(1_000).default([]).describe("Times as yyyy-MM-dd HH:mm:ss."),
  unit: words(wordsOf(TimeUnitSchema)).optional().describe("Of relativeEvent comparators."),
});

/** The conditions of a query. */
export const filters = z.array(filter).max(50).default([]);

/** The same where their form is described elsewhere. */
export const briefFilters = filters.describe("As filters of query.").meta(brief);

export const relation = words(wordsOf(RelationSchema)).default("and").describe("Joins the filters.");

const range = {
  recent_day: z
    .string()
    .optional()
    .describe(
      "a-b: from b to a days ago (1-7: the last 7 days); 0-N: N days with today; W0, W1, M0, M1: this or last week or month.",
    ),
  start_time: z.string().optional().describe("yyyy-MM-dd HH:mm:ss, instead of recent_day."),
  end_time: z.string().optional(),
};

const metric = z.strictObject({
  event: z.string().describe("Name of an event; anyEvent: all. With formula, the name of the column."),
  measure: words(wordsOf(AggregationSchema)).optional().describe("Default: TOTAL_TIMES."),
  property: z.string().optional().describe("Of measures such as SUM, AVG, DISTINCT."),
  percentile: z.int().min(1).max(100).optional(),
  formula: z.string().optional().describe("Such as pay.amount.SUM/login.TRIG_USER_NUM."),
  filters: briefFilters,
  relation,
});

const group = z.strictObject({
  column: z.string(),
  table,
  boundaries: z.array(z.number()).max(100).optional().describe("Intervals of a number, ascending."),
});

/** The arguments of a query without its cursor. */
export const queryFields = {
  project_id: projectId,
  ...range,
  unit: words(wordsOf(TimeParticleSizeSchema)).default("day").describe("Width of a row; total: one row."),
  metrics: z.array(metric).min(1).max(20),
  group_by: z.array(group).max(10).default([]),
  filters,
  relation,
  compare: z.strictObject(range).optional().describe("A second range."),
  limit: z.int().min(1).max(10_000).default(100).describe("Groups, those with the largest totals."),
  zone_offset: z
    .number()
    .min(-12)
    .max(14)
    .optional()
    .describe("Hours east of UTC. Default: the project's zone."),
};

export const queryArguments = z.strictObject({ ...queryFields, cursor });

/** A query as an argument of another tool. */
export const innerQuery = z.strictObject(queryFields);

export type QueryArguments = z.output<typeof innerQuery>;
export type FilterArguments = z.output<typeof filter>;
export type MetricArguments = z.output<typeof metric>;
export type GroupArguments = z.output<typeof group>;
