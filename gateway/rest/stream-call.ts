import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import {
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import type { Call } from "../call/call.ts";
import type { ServedMethod } from "../methods.ts";

/** Runs the interceptors and the implementation of one server-streaming method. */
export type InvokeStream = (call: Call) => Promise<AsyncIterable<Message>>;

type AnyFn = (request: UnaryRequest | StreamRequest) => Promise<UnaryResponse | StreamResponse>;

const kCall = createContextKey<Call | undefined>(undefined, { description: "streaming call" });

/** Puts the interceptors around a server-streaming method once, at start-up. */
export function compileStream(served: ServedMethod, interceptors: readonly Interceptor[]): InvokeStream {
  const { spec } = served;
  if (spec.kind !== "server_streaming") throw new Error(`${served.name} is not server-streaming`);
  const innermost = async (request: UnaryRequest | StreamRequest): Promise<StreamResponse> => {
    const call = request.contextValues.get(kCall) as Call;
    const context = contextOf(call, request);
    const input = await firstOf((request as StreamRequest).message);
    return {
      stream: true,
      service: call.service,
      method: spec.method,
      header: context.responseHeader,
      trailer: context.responseTrailer,
      message: normalize(spec.method.output, spec.impl(input, context)),
    };
  };
  let next: AnyFn = innermost;
  for (const interceptor of interceptors.toReversed()) next = interceptor(next);
  return async (call) => {
    const response = await next({
      stream: true,
      service: call.service,
      method: spec.method,
      requestMethod: call.requestMethod,
      url: call.url,
      signal: call.signal,
      header: call.requestHeader,
      contextValues: call.values.set(kCall, call),
      message: only(call.message as Message),
    });
    return (response as StreamResponse).message;
  };
}

/** The handler sees what the interceptors made of the request. */
function contextOf(call: Call, request: UnaryRequest | StreamRequest): HandlerContext {
  return {
    method: call.method,
    service: call.service,
    requestMethod: request.requestMethod,
    protocolName: call.protocolName,
    url: request.url,
    signal: request.signal,
    values: request.contextValues,
    requestHeader: request.header,
    responseHeader: call.responseHeader,
    responseTrailer: call.responseTrailer,
    timeoutMs: () => call.timeoutMs(),
  };
}

async function* only(message: Message): AsyncGenerator<Message> {
  yield message;
}

async function firstOf(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message;
  throw new Error("an interceptor left no request message");
}

async function* normalize(schema: DescMessage, outputs: AsyncIterable<unknown>): AsyncGenerator<Message> {
  for await (const output of outputs) {
    const isMessage = (output as Message).$typeName === schema.typeName;
    yield isMessage ? (output as Message) : create(schema, output as object as Record<string, unknown>);
  }
}
