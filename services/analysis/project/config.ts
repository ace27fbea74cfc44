import type { DescMessage } from "@bufbuild/protobuf";
import { z } from "zod";
import { EventMetricSchema } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { FilterSchema } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { findFaults } from "./read-definition.ts";

const columnName = () => z.string().min(1);

/** An object in the form of REST bodies. */
const restObject = (desc: DescMessage) =>
  z.record(z.string(), z.json()).superRefine((body, context) => {
    for (const message of findFaults(desc, body)) context.addIssue({ code: "custom", message });
  });

/** Conditions on columns of users, in the form of `filts` of queries. */
const conditionShape = {
  relation: z.enum(["and", "or"]).default("and"),
  filts: z.array(restObject(FilterSchema)).min(1),
};

const casesSchema = z.array(z.strictObject({ value: z.string().min(1), ...conditionShape })).min(1);

const dimensionSchema = z
  .strictObject({
    /** The property whose values the table explains: its columns are `property@column`. */
    property: columnName(),
    table: z.enum(["event", "user"]).default("event"),
    /** Column of the table that holds the property's values; named as the property unless given. */
    key: z.string().min(1).optional(),
    rows: z.array(z.record(z.string(), z.coerce.string())).optional(),
    /** CSV with a header row. */
    file: z.string().min(1).meta({ path: true }).optional(),
  })
  .refine(({ rows, file }) => (rows === undefined) !== (file === undefined), "needs either rows or file");

const virtualSchema = z
  .strictObject({
    table: z.enum(["event", "user"]).default("event"),
    /** Arithmetic over numeric columns, for example `price * count`. */
    expression: z.string().min(1).optional(),
    /** The column whose values `values` maps to texts. */
    of: columnName().optional(),
    values: z.record(z.string(), z.string().min(1)).optional(),
    /** The first of these columns that has a value. */
    first: z.array(columnName()).min(1).optional(),
    /** The text of the first condition that holds. */
    cases: casesSchema.optional(),
  })
  .refine(
    ({ expression, of, values, first, cases }) =>
      (of === undefined) === (values === undefined) &&
      [expression, values, first, cases].filter((way) => way !== undefined).length === 1,
    "needs one of expression, of with values, first, cases",
  );

const named = <T extends z.ZodType>(value: T) => z.record(z.string().min(1), value).default({});

/** The definitions of a project for analysis; part of `projects[]`. */
export const projectAnalysisShape = {
  /** First day of a week on the x axis. */
  weekStart: z.enum(["monday", "sunday"]).default("monday"),
  /** Users who meet a condition, by the cohort's name. */
  cohorts: named(z.strictObject(conditionShape)),
  /** Tags: each user's text is that of the first condition met. */
  tags: named(casesSchema),
  dimensions: z.array(dimensionSchema).default([]),
  /** Columns `#vp@name`. */
  virtualProperties: named(virtualSchema),
  /** Metrics in the form of `events[]`, by the name that `metricName` and `$metric.name` use. */
  metrics: named(restObject(EventMetricSchema)),
  /** Display names of properties, for user lists. */
  displayNames: named(z.string().min(1)),
};

const projectAnalysisSchema = z.strictObject(projectAnalysisShape);

export type ProjectConfig = z.output<typeof projectAnalysisSchema>;
export type DimensionConfig = z.output<typeof dimensionSchema>;
export type VirtualConfig = z.output<typeof virtualSchema>;
export interface Condition {
  readonly relation: "and" | "or";
  readonly filts: readonly Readonly<Record<string, unknown>>[];
}
