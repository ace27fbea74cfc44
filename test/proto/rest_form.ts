import {
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import { GroupValueSchema } from "../../gen/engage/analysis/v1/result_pb.ts";
import { json_word } from "../../gen/engage/gateway/v1/options_pb.ts";

/** Collects the paths of members that the contract does not know. */
type Unknown = string[];

/**
 * Reads a body of the analysis API with nothing but what the descriptors say: enum words from the option
 * `word`, group values and literals as texts. Returns the message and the paths of unknown members.
 */
export function readRestForm<Desc extends DescMessage>(
  schema: Desc,
  body: JsonValue,
): { readonly message: MessageShape<Desc>; readonly unknown: readonly string[] } {
  const unknown: Unknown = [];
  const message = fromJson(schema, readMessage(schema, body, "", unknown));
  return { message, unknown };
}

function readMessage(schema: DescMessage, value: JsonValue, path: string, unknown: Unknown): JsonValue {
  if (schema.typeName === GroupValueSchema.typeName) return { label: value };
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const at = path === "" ? key : `${path}.${key}`;
    const field = schema.fields.find((candidate) => candidate.jsonName === key);
    if (field === undefined) unknown.push(at);
    else if (member !== null) result[key] = readField(field, member, at, unknown);
  }
  return result;
}

function readField(field: DescField, value: JsonValue, path: string, unknown: Unknown): JsonValue {
  if (field.fieldKind === "list") {
    return (value as JsonValue[]).map((item, i) => readItem(field, item, `${path}[${i}]`, unknown));
  }
  return readItem(field, value, path, unknown);
}

function readItem(field: DescField, value: JsonValue, path: string, unknown: Unknown): JsonValue {
  if (field.message !== undefined) return readMessage(field.message, value, path, unknown);
  if (field.enum !== undefined) {
    const found = field.enum.values.find((candidate) => getOption(candidate, json_word) === value);
    if (found === undefined) throw new Error(`${path}: ${JSON.stringify(value)} is not a ${field.enum.name}`);
    return found.name;
  }
  return field.fieldKind === "list" && typeof value === "number" ? String(value) : value;
}
