import type { DescField, DescMessage, JsonObject } from "@bufbuild/protobuf";
import { ErrorStyle } from "../../gen/engage/gateway/v1/options_pb.ts";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.ts";
import type { ServedMethod } from "../methods.ts";
import type { RestBinding } from "../rest/bindings.ts";
import { textTypeOf } from "../rest/field-text.ts";
import { addExamples, exampleOfParameter, type OperationExample } from "./examples.ts";
import { type Comments, commented, type SchemaRegistry } from "./schema.ts";

/** How callers authenticate themselves. */
export interface SecurityOptions {
  /** Security scheme objects of OpenAPI by their name. */
  readonly schemes: JsonObject;
  /** Returns the names of the schemes of which a call over REST, or over Connect, needs one; empty if it needs none. */
  schemesOf(served: ServedMethod, isRest: boolean): readonly string[];
}

/** The context of the description of an operation. */
export interface DescribeContext {
  readonly securityOf: (served: ServedMethod, isRest: boolean) => readonly string[] | undefined;
  readonly comments: Comments;
  readonly schemas: SchemaRegistry;
  /** Media types of messages that a codec writes, by the full name of their type. */
  readonly contentTypes: ReadonlyMap<string, string>;
  /** Returns the example of an operation. */
  readonly exampleOf: (httpMethod: string, path: string) => OperationExample | undefined;
}

/** Names of the responses in the document's components. */
export const errorResponses = {
  status: "StatusError",
  returnCode: "ReturnCodeError",
  code: "CodeError",
  connect: "ConnectError",
} as const;

/** Error responses of styles whose status shows an error. */
const errorByStyle: Partial<Readonly<Record<ErrorStyle, string>>> = {
  [ErrorStyle.RETURN_CODE]: errorResponses.returnCode,
  [ErrorStyle.CODE]: errorResponses.code,
};

/** Describes the parts of a method that REST and Connect share. */
export function describeMethod(
  served: ServedMethod,
  { comments, securityOf }: DescribeContext,
  { operationId, isRest }: { readonly operationId: string; readonly isRest: boolean },
): JsonObject {
  const { desc: method } = served;
  const comment = commented(comments, `${method.parent.typeName}.${method.name}`);
  const security = securityOf(served, isRest)?.map((name) => ({ [name]: [] }));
  return {
    operationId,
    summary: firstSentence(comment.description) ?? method.name,
    tags: [method.parent.typeName],
    ...comment,
    ...(security !== undefined && { security }),
    ...(method.deprecated && { deprecated: true }),
  };
}

/** Returns the first sentence without its full stop, on one line. */
function firstSentence(text: string | undefined): string | undefined {
  const sentence = text && /^.*?(?=\.\s|[.:]?$|:?\n\n)/s.exec(text)?.[0];
  return sentence?.replaceAll(/\s+/g, " ");
}

/** Returns a reference to a response of the components. */
export function referTo(response: string): JsonObject {
  return { $ref: `#/components/responses/${response}` };
}

/** Describes the body of a request; empty if it has none. */
export function describeRestBody(
  { served, body }: RestBinding,
  { schemas }: DescribeContext,
  example: OperationExample | undefined,
): JsonObject {
  if (body === undefined) return {};
  const content = addExamples(contentOfBody(served.desc.input, body, schemas), { call: example?.request });
  return { requestBody: { required: true, content } };
}

function contentOfBody(input: DescMessage, body: DescField | "*", schemas: SchemaRegistry): JsonObject {
  const type = body === "*" ? input : messageOf(body);
  if (type?.typeName === HttpBodySchema.typeName) return anyBytes;
  const own = schemas.referRest(input) ?? schemas.referRest(type);
  const schema = own ?? (body === "*" ? schemas.refer(input) : schemas.describeField(body));
  return { "application/json": { schema } };
}

export function describeRestResponses(
  binding: RestBinding,
  context: DescribeContext,
  example: OperationExample | undefined,
): JsonObject {
  const { served, responseField } = binding;
  const { methodKind } = served.desc;
  const { errorStyle } = served.options;
  const description = methodKind === "unary" ? "The response." : "The messages of the stream.";
  const content = describeRestContent(binding, context, responseField);
  if (errorStyle !== ErrorStyle.ENVELOPE) {
    return {
      "200": { description, content: addExamples(content, { success: example?.response }) },
      default: referTo(errorByStyle[errorStyle] ?? errorResponses.status),
    };
  }
  const note = "An error has the same status and only `return_code`, which is not 0, and `return_message`.";
  const withErrors = {
    ...content,
    "application/json": content["application/json"] ?? { schema: returnCodeError },
  };
  const examples = { success: example?.response, error: example?.error };
  return { "200": { description: `${description} ${note}`, content: addExamples(withErrors, examples) } };
}

/** The schema of errors with a return code. */
export const returnCodeError: JsonObject = {
  type: "object",
  properties: { return_code: { type: "integer" }, return_message: { type: "string" } },
  required: ["return_code", "return_message"],
};

function describeRestContent(
  { served }: RestBinding,
  { schemas, contentTypes }: DescribeContext,
  field: DescField | undefined,
): JsonObject {
  const { output, methodKind } = served.desc;
  const type = field === undefined ? output : messageOf(field);
  if (type?.typeName === HttpBodySchema.typeName) return anyBytes;
  const given = contentTypes.get(output.typeName) ?? (type && contentTypes.get(type.typeName));
  const own = schemas.referRest(output) ?? schemas.referRest(type);
  const schema = own ?? (field === undefined ? schemas.refer(output) : schemas.describeField(field));
  if (given !== undefined || methodKind === "unary") return { [given ?? "application/json"]: { schema } };
  return { [ndjson]: { schema: { type: "string", contentMediaType: ndjson, contentSchema: schema } } };
}

const ndjson = "application/x-ndjson";

const anyBytes: JsonObject = { "*/*": {} };

function messageOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === "message" ? field.message : undefined;
}

/** The maximum depth of messages whose fields are listed as query parameters. */
const maxDepth = 3;

/** Describes the fields that are neither in the path nor in the body. */
export function describeQuery(
  binding: RestBinding,
  context: DescribeContext,
  example: OperationExample | undefined,
): readonly JsonObject[] {
  const { body, variables, served } = binding;
  if (body === "*") return [];
  const taken = new Set([
    ...variables.map(({ parameter }) => parameter.name),
    ...(body === undefined ? [] : [body.name]),
  ]);
  return listQuery(served.desc.input, "", 1)
    .filter(({ path }) => !taken.has(path) && !taken.has(path.split(".")[0] ?? ""))
    .map(({ name, field }) => {
      const { description, ...schema } = context.schemas.describeField(field);
      return {
        name,
        in: "query",
        schema,
        ...(typeof description === "string" && { description }),
        ...exampleOfParameter(example, name),
      };
    });
}

interface QueryField {
  /** The name in JSON, as callers write it. */
  readonly name: string;
  /** The names in proto. */
  readonly path: string;
  readonly field: DescField;
}

function listQuery(desc: DescMessage, prefix: string, depth: number, within = ""): readonly QueryField[] {
  return desc.fields.flatMap((field): readonly QueryField[] => {
    const name = prefix + field.jsonName;
    const path = within + field.name;
    if (textTypeOf(field) !== undefined) return [{ name, path, field }];
    const isOpen = field.fieldKind === "message" && !field.message.typeName.startsWith("google.protobuf.");
    return isOpen && depth < maxDepth ? listQuery(field.message, `${name}.`, depth + 1, `${path}.`) : [];
  });
}
