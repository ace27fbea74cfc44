import { z } from "zod";
import { mappingShape, oneOrMore, strictShape, typeShape } from "../mapping/config.ts";

const formatShape = {
  name: z.string().min(1).describe("name in metrics, dead letters and messages"),
  index: oneOrMore(z.string().min(1)).describe(
    "glob (* ? [..] {a,b} **; without a slash it is matched with the last path segment) or /RE2/, or a list",
  ),
  unwrap: strictShape({ key: z.string().min(1).describe("key whose value is the line") })
    .optional()
    .describe("unwraps the line from the JSON of a container log"),
} as const;

const columnSchema = z.preprocess(
  (value) => (typeof value === "string" ? { name: value } : value),
  strictShape({ name: z.string().min(1).describe("name of the column as a source field"), ...typeShape }),
);

const jsonSchema = strictShape({
  ...formatShape,
  type: z.literal("json").describe("one JSON object per line, or a list of objects"),
  records: z.string().min(1).optional().describe("path of the list whose elements are the records"),
  envelope: z
    .enum(["drop", "keep"])
    .default("drop")
    .describe("with records: keep adds the fields around the list to each record"),
  ...mappingShape,
});

const delimitedSchema = strictShape({
  ...formatShape,
  type: z.literal("delimited").describe("columns between separators"),
  separator: oneOrMore(z.string().min(1)).describe("text between columns, or a list of alternatives"),
  quotes: z.enum(["off", "double"]).default("off").describe("double: RFC 4180 quoting"),
  columns: z.array(columnSchema).min(1).describe("the columns in order: a name, or a name and its type"),
  extraColumns: z
    .enum(["fail", "ignore", "keep"])
    .default("fail")
    .describe("more columns than named: refuse the line, ignore them, or keep them as the list extra"),
  missingColumns: z.enum(["fail", "ignore"]).default("fail").describe("fewer columns than named"),
  ...mappingShape,
});

const regexSchema = strictShape({
  ...formatShape,
  type: z.literal("regex").describe("named groups of an RE2 expression"),
  pattern: z.string().min(1).describe("RE2, searched anywhere in the line; named groups are the fields"),
  ...mappingShape,
});

const logfmtSchema = strictShape({
  ...formatShape,
  type: z.literal("logfmt").describe("key=value pairs"),
  ...mappingShape,
});

const accessLogSchema = strictShape({
  ...formatShape,
  type: z.literal("access_log").describe("common or combined access log"),
  ...mappingShape,
});

const syslogSchema = strictShape({
  ...formatShape,
  type: z.literal("syslog").describe("RFC 5424 or RFC 3164, PRI optional"),
  ...mappingShape,
});

const passThroughSchema = strictShape({
  ...formatShape,
  type: z.literal("pass_through").describe("the line is a record already and is passed on unchanged"),
  check: z
    .enum(["json", "none"])
    .default("json")
    .describe("json: the line must be one JSON object; none: it must only be in braces"),
});

const moduleSchema = strictShape({
  ...formatShape,
  type: z.literal("module").describe("a function of your own"),
  module: z.string().min(1).meta({
    path: true,
    description: "file that exports parse(line, index), which returns a record, a list of records or null",
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
