import { create, type DescMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import {
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import type { ServedMethod } from "../methods.ts";
import type { Call } from "./call.ts";

/**
 * Runs the interceptors and the implementation of one unary method. Without
 * interceptors a result or an error that a handler gives synchronously stays
 * synchronous: each microtask takes a percent or two of the time of a small call.
 */
export type InvokeUnary = (call: Call) => Message | Promise<Message>;

type AnyFn = (request: UnaryRequest | StreamRequest) => Promise<UnaryResponse | StreamResponse>;

/**
 * Wraps a unary method in the interceptors, once at start-up. Interceptors get
 * the `Call` itself as their request and must pass on that very object: its
 * properties read private state, which neither a spread nor a derived object has.
 */
export function compileUnary(served: ServedMethod, interceptors: readonly Interceptor[]): InvokeUnary {
  const { spec } = served;
  if (spec.kind !== "unary") throw new Error(`${served.name} is not unary`);
  const { output: schema } = spec.method;
  if (interceptors.length === 0) {
    return (call) => {
      const output = spec.impl(call.message as Message, call);
      return output instanceof Promise
        ? output.then((message) => toMessage(schema, message))
        : toMessage(schema, output);
    };
  }
  const innermost = async (request: UnaryRequest | StreamRequest): Promise<UnaryResponse> => {
    const call = request as unknown as Call;
    const output = await spec.impl(call.message as Message, call);
    return new InterceptedResponse(call, toMessage(schema, output));
  };
  let next: AnyFn = innermost;
  for (const interceptor of interceptors.toReversed()) next = interceptor(next);
  return async (call) => {
    const response = await next(call as unknown as UnaryRequest);
    return response.message as Message;
  };
}

/** Receives the outcome of a unary call. */
export interface OutcomeListener {
  succeed(output: Message): void;
  fail(reason: unknown): void;
}

/** Reports the outcome of an implementation, synchronously where it is known. */
export function reportOutcome(output: Message | Promise<Message>, outcome: OutcomeListener): void {
  if (output instanceof Promise) {
    output.then(
      (message) => outcome.succeed(message),
      (error: unknown) => outcome.fail(error),
    );
  } else outcome.succeed(output);
}

/** The response of a unary call as interceptors see it. */
class InterceptedResponse implements UnaryResponse {
  readonly stream = false;
  readonly message: Message;
  readonly #call: Call;

  constructor(call: Call, message: Message) {
    this.#call = call;
    this.message = message;
  }

  get method(): UnaryResponse["method"] {
    return this.#call.method as UnaryResponse["method"];
  }

  get service(): UnaryResponse["service"] {
    return this.#call.service;
  }

  get header(): Headers {
    return this.#call.responseHeader;
  }

  get trailer(): Headers {
    return this.#call.responseTrailer;
  }
}

function toMessage(schema: DescMessage, output: MessageInitShape<DescMessage>): Message {
  // A handler that returns nothing responds with an empty message, as in Connect's own handlers.
  const message = output as Message | undefined;
  return message?.$typeName === schema.typeName ? message : create(schema, output);
}

/** Runs the interceptors and the implementation of one server-streaming method. */
export type InvokeStream = (call: Call) => Promise<AsyncIterable<Message>>;

const kCall = createContextKey<Call | undefined>(undefined, { description: "streaming call" });

/** Wraps a server-streaming method in the interceptors, once at start-up. */
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

/** Returns the context of the handler, with the request as the interceptors passed it on. */
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
  throw new Error("an interceptor dropped the request message");
}

async function* normalize(schema: DescMessage, outputs: AsyncIterable<unknown>): AsyncGenerator<Message> {
  for await (const output of outputs) {
    const isMessage = (output as Message).$typeName === schema.typeName;
    yield isMessage ? (output as Message) : create(schema, output as object as Record<string, unknown>);
  }
}
