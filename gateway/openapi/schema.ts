import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { json_word } from "../../gen/engage/gateway/v1/options_pb.ts";
import { describeLimits } from "./limits.ts";

/** Comments by the full name of their subject, see protoc-gen-comments.ts. */
export type Comments = Readonly<Record<string, string>>;

/** JSON Schemas of the forms that codecs give to message types over REST, by the full name of the type. */
export type RestSchemas = ReadonlyMap<string, JsonObject>;

/** Describes message types in JSON Schema (2020-12), each once under its full name. */
export interface SchemaRegistry {
  /** Returns a reference to the schema of this type, which is described at the first call. */
  refer(desc: DescMessage | DescEnum): JsonObject;
  /**
   * Returns a reference to the schema of the form that the type has as a REST body; undefined if it has no form of its
   * own.
   */
  referRest(desc: DescMessage | undefined): JsonObject | undefined;
  /** Describes one field, with its comment. */
  describeField(field: DescField): JsonObject;
  /** Returns the schemas of all types that were referred to, sorted by name. */
  schemas(): JsonObject;
}

export function createSchemaRegistry(comments: Comments, rest: RestSchemas): SchemaRegistry {
  const known = new Map<string, JsonObject>();

  const refer = (desc: DescMessage | DescEnum): JsonObject => {
    const { typeName } = desc;
    const wellKnown = desc.kind === "message" ? wellKnownSchema(desc) : undefined;
    if (wellKnown !== undefined) return wellKnown;
    if (typeName === "google.protobuf.NullValue") return { type: "null" };
    if (!known.has(typeName)) {
      // The schema is registered before it is described, since types may contain themselves.
      const schema: JsonObject = {};
      known.set(typeName, schema);
      Object.assign(schema, desc.kind === "enum" ? describeEnum(desc) : describeMessage(desc));
    }
    return { $ref: `#/components/schemas/${typeName}` };
  };

  const referRest = (desc: DescMessage | undefined): JsonObject | undefined => {
    const schema = desc && rest.get(desc.typeName);
    if (desc === undefined || schema === undefined) return undefined;
    known.set(`${desc.typeName}.rest`, schema);
    return { $ref: `#/components/schemas/${desc.typeName}.rest` };
  };

  const describeEnum = (desc: DescEnum): JsonObject => {
    const words = desc.values.map((value) => getOption(value, json_word));
    const values = desc.values.map(({ name }, i) => {
      const comment = comments[`${desc.typeName}.${name}`];
      const word = words[i] ? ` (\`${words[i]}\` over REST)` : "";
      return `- ${name}${word}${comment === undefined ? "" : `: ${comment}`}`;
    });
    const description = [comments[desc.typeName], values.join("\n")].filter(isText).join("\n\n");
    const names = desc.values.map(({ name }) => name);
    return { type: "string", enum: [...new Set([...words.filter(isText), ...names])], description };
  };

  const describeMessage = (desc: DescMessage): JsonObject => {
    const choices = desc.oneofs.map(atMostOne);
    return {
      type: "object",
      ...commented(comments, desc.typeName),
      properties: Object.fromEntries(desc.fields.map((field) => [field.jsonName, describeField(field)])),
      ...(choices.length > 0 && { allOf: choices }),
    };
  };

  const describeField = (field: DescField): JsonObject => {
    const comment = commented(comments, `${field.parent.typeName}.${field.name}`);
    const limits = describeLimits(field);
    const element = { ...elementSchema(field, refer), ...limits.value };
    if (field.fieldKind === "list") return { type: "array", items: element, ...limits.list, ...comment };
    if (field.fieldKind === "map") return { type: "object", additionalProperties: element, ...comment };
    return { ...element, ...comment };
  };

  return {
    refer,
    referRest,
    describeField,
    schemas: () => Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Returns the comment of a name as the description of a schema; empty if there is none. */
export function commented(comments: Comments, name: string): { description?: string } {
  const description = comments[name];
  return description === undefined ? {} : { description };
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function elementSchema(field: DescField, refer: SchemaRegistry["refer"]): JsonObject {
  if (field.message !== undefined) return refer(field.message);
  if (field.enum !== undefined) return refer(field.enum);
  return scalarSchema(field.scalar as ScalarType);
}

/** Describes that the members of a oneof exclude each other. */
function atMostOne(oneof: DescOneof): JsonObject {
  const members = oneof.fields.map((field) => ({ required: [field.jsonName] }));
  return { oneOf: [...members, { not: { anyOf: members } }] };
}

/** Describes a scalar. 64-bit integers are strings in JSON, whose numbers are exact only up to 53 bits. */
function scalarSchema(type: ScalarType): JsonObject {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
      return { type: "number", format: "double" };
    case ScalarType.FLOAT:
      return { type: "number", format: "float" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", minimum: 0, maximum: 0xffff_ffff };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "string", format: "uint64", pattern: "^[0-9]+$" };
    default:
      return { type: "string", format: "int64", pattern: "^-?[0-9]+$" };
  }
}

/** Describes types whose JSON is not an object with their fields. */
function wellKnownSchema(desc: DescMessage): JsonObject | undefined {
  if (isWrapperDesc(desc)) {
    const { type, ...rest } = scalarSchema(desc.fields[0]?.scalar ?? ScalarType.STRING);
    return { type: [type as string, "null"], ...rest };
  }
  return wellKnown[desc.typeName];
}

const anyJson: JsonValue[] = ["array", "boolean", "null", "number", "object", "string"];

const wellKnown: Readonly<Record<string, JsonObject>> = {
  "google.protobuf.Any": {
    type: "object",
    properties: { "@type": { type: "string" } },
    required: ["@type"],
    additionalProperties: true,
  },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
  "google.protobuf.Empty": { type: "object" },
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.ListValue": { type: "array", items: { type: anyJson } },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Value": { type: anyJson },
};
