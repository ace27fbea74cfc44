import type { JsonObject } from "@bufbuild/protobuf";
import type { RestCodecs } from "../../base/rpc/rest-codec.ts";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import type { ServedMethod, ServedService } from "../methods.ts";
import { compileBindings, type RestBinding } from "../rest/bindings.ts";
import {
  type DescribeContext,
  describeMethod,
  describeQuery,
  describeRestBody,
  describeRestResponses,
  errorResponses,
  referTo,
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
}

/**
 * Describes services in OpenAPI 3.1: each REST binding, and each unary method as `POST /package.Service/Method` of the
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
  const securityOf = options.security?.schemesOf ?? (() => undefined);
  const context: DescribeContext = { comments, schemas, contentTypes: new Map(types), securityOf };
  const paths = {
    ...describeRest(compileBindings(services), context),
    ...describeConnect(services, context),
  };
  const responses = describeErrors(context);
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
    const parameters = [
      ...here.parameters.map((parameter, i) =>
        describePathParameter(
          parameter,
          first.parameters[i]?.name ?? parameter.name,
          context.schemas.describeField,
        ),
      ),
      ...describeQuery(binding, context),
    ];
    paths[first.path] = {
      ...paths[first.path],
      [httpMethod.toLowerCase()]: {
        ...describeMethod(binding.served, context, { operationId, isRest: true }),
        ...(parameters.length > 0 && { parameters }),
        ...describeRestBody(binding, context),
        responses: describeRestResponses(binding, context),
      },
    };
  }
  return paths;
}

/** Whether calls of a binding are always refused. */
function isClientStreaming({ served }: RestBinding): boolean {
  return served.spec.kind === "client_streaming" || served.spec.kind === "bidi_streaming";
}

function describeConnect(services: readonly ServedService[], context: DescribeContext): JsonObject {
  const unary = services.flatMap((service) => service.methods).filter(({ spec }) => spec.kind === "unary");
  return Object.fromEntries(
    unary.map((served) => {
      const { desc, name } = served;
      const operationId = `${desc.parent.typeName}.${desc.name}.connect`;
      const input = { "application/json": { schema: context.schemas.refer(desc.input) } };
      const output = { "application/json": { schema: context.schemas.refer(desc.output) } };
      const operation = {
        ...describeMethod(served, context, { operationId, isRest: false }),
        requestBody: { required: true, content: input },
        responses: {
          "200": { description: "The response.", content: output },
          default: referTo(errorResponses.connect),
        },
      };
      return [`/${name}`, { post: operation }];
    }),
  );
}

function describeErrors({ schemas }: DescribeContext): JsonObject {
  const json = (description: string, schema: JsonObject): JsonObject => ({
    description,
    content: { "application/json": { schema } },
  });
  return {
    [errorResponses.connect]: json("An error of the Connect protocol.", {
      type: "object",
      properties: {
        code: { type: "string", description: "The gRPC code in lower case, for example invalid_argument." },
        message: { type: "string" },
        details: { type: "array", items: { type: "object", additionalProperties: true } },
      },
      required: ["code"],
    }),
    [errorResponses.returnCode]: json(
      "An error, indicated by its HTTP status and a return code other than 0.",
      {
        type: "object",
        properties: { return_code: { type: "integer" }, return_message: { type: "string" } },
        required: ["return_code", "return_message"],
      },
    ),
    [errorResponses.code]: json("An error, indicated by its HTTP status and a code other than 0.", {
      type: "object",
      properties: { code: { type: "integer" }, msg: { type: "string" } },
      required: ["code", "msg"],
    }),
    [errorResponses.status]: json(
      "An error; its HTTP status follows from its code.",
      schemas.refer(StatusSchema),
    ),
  };
}
