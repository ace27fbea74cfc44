import { type DescMessage, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import type { BodyExample } from "../../../gateway/openapi/examples.ts";
import { toOpenApiPath } from "../../../gateway/openapi/rest-paths.ts";
import type { RestBinding } from "../../../gateway/rest/bindings.ts";
import { HttpBodySchema } from "../../../gen/google/api/httpbody_pb.ts";
import { writeQuery } from "../../../services/channel/rest/write-query.ts";
import { bodyExample } from "./bodies.ts";

/** A request of HTTP, as it is sent and as it stands in the document. */
export interface RestRequest {
  /** HTTP method and path of the document. */
  readonly operation: string;
  readonly httpMethod: string;
  /** The path and the query. */
  readonly target: string;
  readonly body: string | undefined;
  readonly parameters: JsonObject;
  readonly example: BodyExample | undefined;
}

/** Writes a message as the binding reads it. */
export function writeRestRequest(binding: RestBinding, desc: DescMessage, message: Message): RestRequest {
  const { httpMethod, body: field, variables } = binding;
  const json = writeQuery(desc, toJson(desc, message)) as JsonObject;
  const { path, parameters: inPath } = toOpenApiPath(binding);
  const parameters: JsonObject = {};
  let target = path;
  for (const { name, field: bound } of inPath) {
    const value = String(json[bound?.jsonName ?? ""]);
    parameters[name] = value;
    target = target.replace(`{${name}}`, value.split("/").map(encodeURIComponent).join("/"));
  }
  const taken = variables.map(({ parameter }) => parameter.field.jsonName);
  const rest = Object.entries(json).filter(([name]) => !taken.includes(name));
  const example = exampleOf(field, Object.fromEntries(rest));
  const query = new URLSearchParams();
  const inQuery = field === "*" ? [] : rest.filter(([name]) => name !== field?.jsonName);
  for (const [name, value] of inQuery.flatMap(([name, value]) => flatten(name, value))) {
    parameters[name] = value;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return {
    operation: `${httpMethod} ${path}`,
    httpMethod,
    target: query.size === 0 ? target : `${target}?${query}`,
    body: example && textOf(example),
    parameters,
    example,
  };
}

function exampleOf(field: RestBinding["body"], json: JsonObject): BodyExample | undefined {
  if (field === undefined) return undefined;
  if (field === "*") return { type: jsonType, value: json };
  const value = json[field.jsonName] ?? (field.fieldKind === "list" ? [] : {});
  const typeName = field.message?.typeName ?? "";
  if (platformQuery.test(typeName)) return { type: jsonType, value: withNumber(value as JsonObject) };
  if (typeName !== HttpBodySchema.typeName) return { type: jsonType, value };
  const { contentType, data } = value as { contentType: string; data: string };
  return bodyExample(contentType, Buffer.from(data, "base64").toString());
}

const jsonType = "application/json";

const platformQuery = /^engage\.analysis\.v1\.Event\w*Query$/;

/** Clients of the platform write the id of a project as a number. */
function withNumber(query: JsonObject): JsonObject {
  return { ...query, projectId: Number(query["projectId"]) };
}

function textOf({ value }: BodyExample): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the query parameters of a member, whose own members have dots in their names. */
function flatten(name: string, value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, member]) => flatten(`${name}.${key}`, member));
}
