import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import type { ServedMethod, ServedService } from "../methods.ts";
import { addExamples, type OperationExample } from "./examples.ts";
import { type DescribeContext, describeMethod, errorResponses, referTo } from "./operations.ts";

/** Describes each method as `POST /package.Service/Method` of the Connect protocol with JSON. */
export function describeConnect(services: readonly ServedService[], context: DescribeContext): JsonObject {
  const methods = services.flatMap((service) => service.methods);
  return Object.fromEntries(
    methods.map((served) => [`/${served.name}`, { post: describeCall(served, context) }]),
  );
}

function describeCall(served: ServedMethod, context: DescribeContext): JsonObject {
  const { desc, name } = served;
  const operationId = `${desc.parent.typeName}.${desc.name}.connect`;
  const operation = describeMethod(served, context, { operationId, isRest: false });
  const example = context.exampleOf("POST", `/${name}`);
  return { ...operation, ...describeBodies(served, context, operation["description"], example) };
}

function describeBodies(
  { desc: { input, output, methodKind } }: ServedMethod,
  { schemas }: DescribeContext,
  comment: unknown,
  example: OperationExample | undefined,
): JsonObject {
  const content = (schema: JsonObject): JsonObject => ({
    [methodKind === "unary" ? "application/json" : streamType]: { schema },
  });
  const requests = (schema: JsonObject): JsonObject => ({
    required: true,
    content: addExamples(content(schema), { call: example?.request }),
  });
  const responses = (schema: JsonObject): JsonObject =>
    addExamples(content(schema), { success: example?.response });
  if (methodKind === "unary") {
    return {
      requestBody: requests(schemas.refer(input)),
      responses: {
        "200": { description: "The response.", content: responses(schemas.refer(output)) },
        default: referTo(errorResponses.connect),
      },
    };
  }
  const list = (message: DescMessage, isStream: boolean): JsonObject => ({
    type: "array",
    items: schemas.refer(message),
    ...(!isStream && { minItems: 1, maxItems: 1 }),
  });
  const notes = [comment, streamNotes[methodKind], framing].filter((note) => typeof note === "string");
  return {
    description: notes.join("\n\n"),
    requestBody: requests(list(input, methodKind !== "server_streaming")),
    responses: {
      "200": {
        description: endOfStream,
        content: responses(list(output, methodKind !== "client_streaming")),
      },
    },
  };
}

const streamType = "application/connect+json";

const streamNotes = {
  server_streaming: "Over Connect: the request is one message, and the response is a stream of messages.",
  client_streaming:
    "Over Connect: the request is a stream of messages, and the response is one message, which comes after the end " +
    "of the request. Clients of Connect, gRPC and gRPC-Web can make the call; there is no REST form.",
  bidi_streaming:
    "Over Connect: the request and the response are streams of messages which run at the same time. This needs " +
    "HTTP/2. Clients of Connect and gRPC can make the call; there is no REST form.",
} as const;

const framing =
  "In both bodies, five bytes precede each message: a 0, then the length of the message in bytes as a big-endian " +
  "number of four bytes. OpenAPI cannot describe them, so schemas and examples are lists of the messages.";

const endOfStream =
  "The messages. After them comes a JSON object whose first byte is 2 instead of 0: `{}` if the call succeeded, " +
  'otherwise `{"error":{…}}` with the members of ConnectError. The HTTP status of both is 200.';
