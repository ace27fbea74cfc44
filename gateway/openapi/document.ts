import type { JsonObject } from "@bufbuild/protobuf";
import type { RestCodecs } from "../../base/rpc/rest-codec.ts";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import type { ServedMethod, ServedService } from "../methods.ts";
import { compileBindings, type RestBinding } from "../rest/bindings.ts";
import { describeConnect } from "./connect.ts";
import { type ApiExamples, addExamples, exampleOfParameter } from "./examples.ts";
import {
  type DescribeContext,
  describeMethod,
  describeQuery,
  describeRestBody,
  describeRestResponses,
  errorResponses,
  returnCodeError,
  type SecurityOptions,
} from "./operations.ts";
import { describePathParameter, type OpenApiPath, toOpenApiPath } from "./rest-paths.ts";
import { type Comments, commented, createSchemaRegistry } from "./schema.ts";

export interface OpenApiOptions {
  readonly title: string;
  /** Version of the API, for example that of the package. */
  readonly version: string;
  readonly description?: string;
  /** The address of the documentation, which may be relative to that of the document. */
  readonly documentation?: string;
  /** Base URLs. Default: the one from which the document is loaded. */
  readonly servers?: readonly string[];
  /** The comments from `gen/comments.ts`. */
  readonly comments?: Comments;
  /** The codecs of the REST router. */
  readonly codecs?: RestCodecs;
  readonly security?: SecurityOptions;
  readonly examples?: ApiExamples;
}

/**
 * Describes services in OpenAPI 3.1: each REST binding, and each method as `POST /package.Service/Method` of the
 * Connect protocol. The same services produce the same document, including the order of keys.
 */
export function describeOpenApi(services: readonly ServedService[], options: OpenApiOptions): JsonObject {
  const { title, version, description, documentation, servers, comments = {}, codecs = new Map() } = options;
  const own = [...codecs].flatMap(([name, { schema }]) =>
    schema === undefined ? [] : [[name, schema] as const],
  );
  const types = [...codecs].flatMap(([name, { encode, contentType }]) =>
    encode === undefined || contentType === undefined ? [] : [[name, contentType] as const],
  );
  const schemas = createSchemaRegistry(comments, new Map(own));
  const { operations, errors } = options.examples ?? { operations: {}, errors: {} };
  const context: DescribeContext = {
    comments,
    schemas,
    contentTypes: new Map(types),
    securityOf: options.security?.schemesOf ?? (() => undefined),
    exampleOf: (httpMethod, path) => operations[`${httpMethod} ${path}`],
  };
  const paths = {
    ...describeRest(compileBindings(services), context),
    ...describeConnect(services, context),
  };
  const responses = describeErrors(context, errors);
  return {
    openapi: "3.1.0",
    info: { title, version, ...(description !== undefined && { description }) },
    ...(documentation !== undefined && {
      externalDocs: { description: "Documentation", url: documentation },
    }),
    servers: (servers ?? ["/"]).map((url) => ({ url })),
    tags: services.map(({ desc }) => ({ name: desc.typeName, ...commented(comments, desc.typeName) })),
    paths,
    components: {
      schemas: schemas.schemas(),
      responses,
      ...(options.security !== undefined && { securitySchemes: options.security.schemes }),
    },
  };
}

/** The HTTP methods that OpenAPI can describe. */
const methods = new Set(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]);

function describeRest(bindings: readonly RestBinding[], context: DescribeContext): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const firstOf = new Map<string, OpenApiPath>();
  const timesDescribed = new Map<ServedMethod, number>();
  for (const binding of bindings) {
    // A binding for every method is described by the method that such calls usually have.
    const httpMethod =
      binding.httpMethod !== "*" ? binding.httpMethod : binding.body === undefined ? "GET" : "POST";
    if (!methods.has(httpMethod) || isClientStreaming(binding)) continue;
    const here = toOpenApiPath(binding);
    // Paths that differ only in the names of their parameters are the same. The first one determines the names.
    const first = firstOf.get(here.shape) ?? here;
    firstOf.set(here.shape, first);
    const times = (timesDescribed.get(binding.served) ?? 0) + 1;
    timesDescribed.set(binding.served, times);
    const { desc } = binding.served;
    const operationId = `${desc.parent.typeName}.${desc.name}${times === 1 ? "" : `.${times}`}`;
    const example = context.exampleOf(httpMethod, here.path);
    const parameters = [
      ...here.parameters.map((parameter, i) => ({
        ...describePathParameter(
          parameter,
          first.parameters[i]?.name ?? parameter.name,
          context.schemas.describeField,
        ),
        ...exampleOfParameter(example, parameter.name),
      })),
      ...describeQuery(binding, context, example),
    ];
    paths[first.path] = {
      ...paths[first.path],
      [httpMethod.toLowerCase()]: {
        ...describeMethod(binding.served, context, { operationId, isRest: true }),
        ...(parameters.length > 0 && { parameters }),
        ...describeRestBody(binding, context, example),
        responses: describeRestResponses(binding, context, example),
      },
    };
  }
  return paths;
}

/** Whether calls of a binding are always refused. */
function isClientStreaming({ served }: RestBinding): boolean {
  return served.spec.kind === "client_streaming" || served.spec.kind === "bidi_streaming";
}

function describeErrors({ schemas }: DescribeContext, errors: ApiExamples["errors"]): JsonObject {
  const json = (name: string, description: string, schema: JsonObject): JsonObject => ({
    [name]: {
      description,
      content: addExamples({ "application/json": { schema } }, { error: errors[name] }),
    },
  });
  return {
    ...json(errorResponses.connect, "An error of the Connect protocol.", {
      type: "object",
      properties: {
        code: { type: "string", description: "The gRPC code in lower case, for example invalid_argument." },
        message: { type: "string" },
        details: { type: "array", items: { type: "object", additionalProperties: true } },
      },
      required: ["code"],
    }),
    ...json(
      errorResponses.returnCode,
      "An error, indicated by its HTTP status and a return code other than 0.",
      returnCodeError,
    ),
    ...json(errorResponses.code, "An error, indicated by its HTTP status and a code other than 0.", {
      type: "object",
      properties: { code: { type: "integer" }, msg: { type: "string" } },
      required: ["code", "msg"],
    }),
    ...json(
      errorResponses.status,
      "An error; its HTTP status follows from its code.",
      schemas.refer(StatusSchema),
    ),
  };
}
