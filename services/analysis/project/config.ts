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
  relation: z
    .enum(["and", "or"])
    .default("and")
    .describe("and: all conditions must hold. or: one is enough."),
  filts: z
    .array(restObject(FilterSchema))
    .min(1)
    .meta({
      description: "Conditions on columns of users, in the form of `filts` of queries.",
      examples: [[{ columnName: "level", tableType: "user", comparator: "greater", ftv: ["10"] }]],
    }),
};

const casesSchema = z
  .array(
    z.strictObject({
      value: z
        .string()
        .min(1)
        .meta({ description: "The text if the conditions hold.", examples: ["high"] }),
      ...conditionShape,
    }),
  )
  .min(1);

const table = () =>
  z.enum(["event", "user"]).default("event").describe("Owner of the property: events, or users.");

const dimensionSchema = z
  .strictObject({
    property: columnName().meta({
      description: "The property whose values the table explains: its columns are `property@column`.",
      examples: ["item_id"],
    }),
    table: table(),
    key: z
      .string()
      .min(1)
      .optional()
      .meta({
        description:
          "Column of the table that holds the property's values. Default: the one that is named as the property.",
        examples: ["id"],
      }),
    rows: z
      .array(z.record(z.string(), z.coerce.string()))
      .optional()
      .meta({
        description: "Rows of the table. A table has rows or a file.",
        examples: [[{ id: "7", name: "sword" }]],
      }),
    file: z
      .string()
      .min(1)
      .meta({ path: true, read: true })
      .optional()
      .meta({ description: "CSV with a header row, instead of rows.", examples: ["items.csv"] }),
  })
  .refine(({ rows, file }) => (rows === undefined) !== (file === undefined), "needs either rows or file");

const virtualSchema = z
  .strictObject({
    table: table(),
    expression: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "Arithmetic over numeric columns.", examples: ["price * count"] }),
    of: columnName()
      .optional()
      .meta({ description: "The column whose values `values` maps to texts.", examples: ["channel"] }),
    values: z
      .record(z.string(), z.string().min(1))
      .optional()
      .meta({
        description: "with `of`: the text for each value of the column.",
        examples: [{ gp: "Google Play", as: "App Store" }],
      }),
    first: z
      .array(columnName())
      .min(1)
      .optional()
      .meta({
        description: "The value is that of the first of these columns that has one.",
        examples: [["nickname", "name"]],
      }),
    cases: casesSchema.optional().describe("The value is the text of the first condition that holds."),
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
  weekStart: z.enum(["monday", "sunday"]).default("monday").describe("First day of a week on the x axis."),
  cohorts: named(z.strictObject(conditionShape)).describe(
    "Cohorts by name: the users who meet their conditions.",
  ),
  tags: named(casesSchema).describe("Tags by name: each user's text is that of the first condition met."),
  dimensions: z.array(dimensionSchema).default([]).describe("Tables that explain the values of properties."),
  virtualProperties: named(virtualSchema).describe(
    "Properties that are computed from others, by name: queries call them `#vp@name`.",
  ),
  metrics: named(restObject(EventMetricSchema)).meta({
    description:
      "Metrics in the form of `events[]` of queries, by the name that `metricName` and `$metric.name` use.",
    examples: [{ payers: { type: "normal", eventName: "pay", analysis: "TRIG_USER_NUM" } }],
  }),
  displayNames: named(z.string().min(1)).meta({
    description: "Display names of properties, for lists of users and catalogues.",
    examples: [{ level: "Level" }],
  }),
};

const projectAnalysisSchema = z.strictObject(projectAnalysisShape);

export type ProjectConfig = z.output<typeof projectAnalysisSchema>;
export type DimensionConfig = z.output<typeof dimensionSchema>;
export type VirtualConfig = z.output<typeof virtualSchema>;
export interface Condition {
  readonly relation: "and" | "or";
  readonly filts: readonly Readonly<Record<string, unknown>>[];
}
