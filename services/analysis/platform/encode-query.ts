import { type DescField, type DescMessage, getOption, isFieldSet, type Message } from "@bufbuild/protobuf";
import { type GroupValue, GroupValueSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { json_word } from "../../../gen/engage/gateway/v1/options_pb.ts";
import { nullLabel } from "../text-form.ts";

type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json };

export interface EncodeOptions {
  readonly projectId: number;
  /** The group that is sent for a query without groups. */
  readonly overallLabel: string;
}

/** A field that is not part of the REST form. */
const ignoredFields = "ignored_fields";

/**
 * Encodes a typed query in the REST form. Fields that are not set are left out, except those that the platform
 * requires: `useCache` and, in a user query, `sliceGroupVal`.
 */
export function encodeQuery(schema: DescMessage, query: Message, options: EncodeOptions): string {
  const json = encodeMessage(schema, query);
  json["projectId"] = options.projectId;
  if (has(schema, "use_cache")) json["useCache"] ??= true;
  if (has(schema, "slice_group_val")) json["sliceGroupVal"] ??= [options.overallLabel];
  return JSON.stringify(json);
}

function has(schema: DescMessage, name: string): boolean {
  return schema.fields.some((field) => field.name === name);
}

function encodeMessage(schema: DescMessage, message: Message): Record<string, Json> {
  const json: Record<string, Json> = {};
  for (const field of schema.fields) {
    if (field.name === ignoredFields || !isFieldSet(message, field)) continue;
    const value = encodeField(field, (message as unknown as Record<string, unknown>)[field.localName]);
    if (value !== undefined) json[field.jsonName] = value;
  }
  return json;
}

function encodeField(field: DescField, value: unknown): Json | undefined {
  if (field.fieldKind !== "list") return encodeItem(field, value);
  return (value as readonly unknown[])
    .map((item) => encodeItem(field, item))
    .filter((item) => item !== undefined);
}

/** Returns undefined for a value of an enum without a word, which means not set. */
function encodeItem({ message, enum: vocabulary }: DescField, value: unknown): Json | undefined {
  if (message?.typeName === GroupValueSchema.typeName) return labelOf(value as GroupValue);
  if (message !== undefined) return encodeMessage(message, value as Message);
  if (vocabulary !== undefined) {
    const known = vocabulary.value[value as number];
    return known === undefined ? undefined : getOption(known, json_word) || undefined;
  }
  return typeof value === "bigint" ? Number(value) : (value as Json);
}

/** Returns the label of a group. The platform writes both null and the text `(null)` as the same label. */
function labelOf({ value }: GroupValue): string {
  return value.case === "label" ? value.value : nullLabel;
}
