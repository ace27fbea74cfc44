import { z } from "zod";
import { mappingShape, oneOrMore, strictShape, typeShape } from "../mapping/config.ts";

const formatShape = {
  name: z
    .string()
    .min(1)
    .meta({ description: "Name of the format in metrics, dead letters and messages.", examples: ["game"] }),
  index: oneOrMore(z.string().min(1)).meta({
    description:
      "Pattern of the INDEX of lines, such as a file name or topic, or a list of patterns: a glob with * ? [..] {a,b} ** " +
      "(without a slash it is matched with the last path segment), or /RE2/.",
    examples: ["game*.log"],
  }),
  unwrap: strictShape({
    key: z
      .string()
      .min(1)
      .meta({ description: "Key whose value is the line.", examples: ["log"] }),
  })
    .optional()
    .describe("Unwraps the line from the JSON of a container log. Default: the line is read as it is."),
} as const;

const columnSchema = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : value),
  strictShape({
    name: z
      .string()
      .min(1)
      .meta({ description: "Name of the column as a source field.", examples: ["level"] }),
    ...typeShape,
  }),
);

const jsonSchema = strictShape({
  ...formatShape,
  type: z.literal("json").describe("json: one JSON object per line, or a list of objects."),
  records: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: "Path of the list whose elements are the records. Default: the object is one record.",
      examples: ["data.events"],
    }),
  envelope: z
    .enum(["drop", "keep"])
    .default("drop")
    .describe("with records: keep adds the fields around the list to each record, drop leaves them out."),
  ...mappingShape,
});

const delimitedSchema = strictShape({
  ...formatShape,
  type: z.literal("delimited").describe("delimited: columns between separators."),
  separator: oneOrMore(z.string().min(1)).meta({
    description: "Text between columns, or a list of alternatives.",
    examples: ["|"],
  }),
  quotes: z
    .enum(["off", "double"])
    .default("off")
    .describe("double: columns may be in double quotes, as in RFC 4180. off: quotes mean nothing."),
  columns: z
    .array(columnSchema)
    .min(1)
    .meta({
      description: "The columns in order: a name, or a name and its type.",
      examples: [["time", "user", { name: "level", type: "number" }]],
    }),
  extraColumns: z
    .enum(["fail", "ignore", "keep"])
    .default("fail")
    .describe(
      "More columns than named. fail: the line is refused. ignore: they are left out. keep: they become the list `extra`.",
    ),
  missingColumns: z
    .enum(["fail", "ignore"])
    .default("fail")
    .describe("Fewer columns than named. fail: the line is refused. ignore: they have no value."),
  ...mappingShape,
});

const regexSchema = strictShape({
  ...formatShape,
  type: z.literal("regex").describe("regex: named groups of an RE2 expression."),
  pattern: z
    .string()
    .min(1)
    .meta({
      description: "RE2 expression that is searched anywhere in the line; named groups are the fields.",
      examples: ["^(?P<time>[^|]+)\\|(?P<player>[^|]+)$"],
    }),
  ...mappingShape,
});

const logfmtSchema = strictShape({
  ...formatShape,
  type: z.literal("logfmt").describe("logfmt: key=value pairs."),
  ...mappingShape,
});

const accessLogSchema = strictShape({
  ...formatShape,
  type: z.literal("access_log").describe("access_log: common or combined access log."),
  ...mappingShape,
});

const syslogSchema = strictShape({
  ...formatShape,
  type: z.literal("syslog").describe("syslog: RFC 5424 or RFC 3164, with PRI or without."),
  ...mappingShape,
});

const passThroughSchema = strictShape({
  ...formatShape,
  type: z
    .literal("pass_through")
    .describe("pass_through: the line is a record already and is passed on unchanged."),
  check: z
    .enum(["json", "none"])
    .default("json")
    .describe("json: the line must be one JSON object. none: it must only be in braces."),
});

const moduleSchema = strictShape({
  ...formatShape,
  type: z.literal("module").describe("module: a function of your own."),
  module: z
    .string()
    .min(1)
    .meta({
      path: true,
      description: "File that exports parse(line, index), which returns a record, a list of records or null.",
      examples: ["formats/game.js"],
    }),
});

export const formatSchema = z.discriminatedUnion("type", [
  jsonSchema,
  delimitedSchema,
  regexSchema,
  logfmtSchema,
  accessLogSchema,
  syslogSchema,
  passThroughSchema,
  moduleSchema,
]);

export type ColumnConfig = z.output<typeof columnSchema>;
export type FormatConfig = z.output<typeof formatSchema>;
export type FormatConfigOf<T extends FormatConfig["type"]> = Extract<FormatConfig, { type: T }>;
export type MappedFormatConfig = Exclude<FormatConfig, { type: "pass_through" | "module" }>;
