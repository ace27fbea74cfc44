import {
  create,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { errorResponses } from "../../../gateway/openapi/operations.ts";
import type { Calls, RestForm, StreamOptions } from "./calls.ts";
import type { Recorder } from "./recorder.ts";
import { key } from "./server.ts";

/** Calls each method over Connect with JSON. */
export function createConnectCalls(url: string, recorder: Recorder): Calls {
  const stream = createStream(url, recorder);
  return {
    async unary(method, request) {
      const { sent, status, json } = await post(url, method, request);
      if (status !== 200)
        throw new Error(`${method.name} is refused with ${status}: ${JSON.stringify(json)}`);
      const response = { type: jsonType, value: json };
      recorder.add(operationOf(method), { request: { type: jsonType, value: sent }, response });
      return json;
    },
    async refused(method, request, form = {}) {
      // Of a stream, the error is in the last message.
      if (method.methodKind === "server_streaming") return;
      const { status, json } = await post(url, method, request, form.headers);
      if (status === 200) throw new Error(`${method.name} is not refused: ${JSON.stringify(json)}`);
      recorder.addErrorResponse(errorResponses.connect, { type: jsonType, value: json });
    },
    serverStream: (method, request, options = {}) => stream(method, [request], options as StreamOptions),
    clientStream: (method, requests) => stream(method, requests as readonly never[], {}),
  };
}

const jsonType = "application/json";
const streamType = "application/connect+json";
const headers = { authorization: `Bearer ${key}` };

function operationOf(method: DescMethod): string {
  return `POST /${method.parent.typeName}/${method.name}`;
}

async function post(url: string, method: DescMethod, request: object, others: RestForm["headers"] = {}) {
  const message = create(method.input, request as MessageInitShape<DescMessage>);
  const sent = toJson(method.input, message);
  const response = await fetch(`${url}/${method.parent.typeName}/${method.name}`, {
    method: "POST",
    headers: { ...headers, "content-type": jsonType, ...others },
    body: JSON.stringify(sent),
  });
  return { sent, status: response.status, json: (await response.json()) as JsonObject };
}

function createStream(url: string, recorder: Recorder) {
  const transport = createConnectTransport({ baseUrl: url, httpVersion: "2", useBinaryFormat: false });
  return async <I extends DescMessage>(
    method: DescMethod & { readonly input: I },
    requests: readonly MessageInitShape<I>[],
    { count = Number.POSITIVE_INFINITY, during = async () => undefined }: StreamOptions,
  ): Promise<void> => {
    const calling = method as never;
    const { message } = await transport.stream(
      calling,
      undefined,
      undefined,
      headers,
      toStream(requests) as never,
    );
    const received: JsonValue[] = [];
    for await (const one of message as AsyncIterable<MessageShape<DescMessage>>) {
      received.push(toJson(method.output, one));
      if (received.length === 1) await during();
      // Leaving the loop ends the call.
      if (received.length >= count) break;
    }
    recorder.add(operationOf(method), {
      request: {
        type: streamType,
        value: requests.map((request) => toJson(method.input, create(method.input, request as never))),
      },
      response: { type: streamType, value: received },
    });
  };
}

async function* toStream<T>(messages: readonly T[]): AsyncIterable<T> {
  yield* messages;
}
