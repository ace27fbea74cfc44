import type { JsonObject } from "@bufbuild/protobuf";

const text: JsonObject = { type: "string" };
const integer: JsonObject = { type: "integer" };
const boolean: JsonObject = { type: "boolean" };
/** Numbers that may also be written as texts. */
const whole = ["integer", "string"];
const number = ["number", "string"];
const texts: JsonObject = { type: "array", items: text };

/** Refers to the description of a message. */
const refer = (name: string): JsonObject => ({ $ref: `#/components/schemas/engage.analysis.v1.${name}` });

const shared = {
  projectId: { type: whole, minimum: 1, description: "Id of the project, also as a text." },
  eventView: refer("EventView"),
  events: { type: "array", minItems: 1, items: refer("EventMetric") },
  zoneOffset: { type: number, minimum: -12, maximum: 14, description: "Hours east of UTC." },
} satisfies JsonObject;

const timeoutSeconds: JsonObject = { type: whole, minimum: 1, maximum: 3600, default: 60 };

const slice = {
  sliceDate: { ...text, description: "Label of the bucket on the x axis; none with the step `total`." },
  sliceGroupVal: {
    type: "array",
    items: { type: ["string", "number", "boolean", "null"] },
    description:
      "The group's labels as in `group_cols`; null is `(null)`, and the text `(null)` is `\\(null)`. A split metric may have one more label, the value of the split.",
  },
  eventIndex: { type: whole, minimum: 0, description: "Zero-based index of the metric in `events`." },
} satisfies JsonObject;

function body(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: "object", required: [...required], properties: { ...shared, ...properties } };
}

const always = ["projectId", "eventView", "events"];
const sliced = [...always, "sliceGroupVal", "eventIndex"];

export const eventQuery = body(always, {
  useSameResultKey: { ...boolean, default: false },
  useCache: { ...boolean, default: true },
  limit: { type: whole, minimum: 1, maximum: 10_000, default: 1_000 },
  timeoutSeconds,
});
export const eventDownloadQuery = body(always, {});
export const eventUserQuery = body(sliced, { ...slice, timeoutSeconds });
export const eventUserDownloadQuery = body([...sliced, "selectedColumns"], {
  ...slice,
  selectedColumns: { ...texts, minItems: 1, description: "Columns of the file, in their order." },
  eventDate: { ...text, description: "Used where `sliceDate` is empty." },
});

const range: JsonObject = { type: "object", properties: { start_time: text, end_time: text } };

const info = {
  range,
  compared_range: range,
  zone: { type: ["number", "string"], description: "Hours east of UTC, or an IANA name." },
  cached: boolean,
  approximate: boolean,
  truncated: boolean,
  warnings: texts,
} satisfies JsonObject;

function responseSchema(properties: JsonObject): JsonObject {
  const data: JsonObject = { type: "object", properties: { ...properties, ...info } };
  return {
    type: "object",
    required: ["return_code", "return_message"],
    properties: { return_code: integer, return_message: text, data },
  };
}

const entry: JsonObject = {
  type: "object",
  required: ["group_cols", "group_num", "values"],
  properties: { group_cols: texts, group_num: integer, values: texts, values_compared: texts },
};

export const analysisResponse = responseSchema({
  result_generate_time: { ...text, description: "`yyyy-MM-dd HH:mm:ss` in the result's zone." },
  x: texts,
  x_compared: texts,
  union_groups: { type: "array", items: texts },
  union_group_num: integer,
  y: {
    type: "array",
    description: "One object for each result, with its key as the only member.",
    items: {
      type: "object",
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: { type: "array", items: entry },
    },
  },
});

export const usersResponse = responseSchema({
  datalist: {
    type: "array",
    items: { type: "object", additionalProperties: { type: ["string", "number"] } },
  },
  columMeta: { type: "object", additionalProperties: text },
});

export const csvFile: JsonObject = { type: "string", description: "RFC 4180, all fields quoted, LF." };
