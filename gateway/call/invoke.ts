import { create, type DescMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type {
  Interceptor,
  StreamRequest,
  StreamResponse,
  UnaryRequest,
  UnaryResponse,
} from "@connectrpc/connect";
import type { ServedMethod } from "../methods.ts";
import type { Call } from "./call.ts";

/**
 * Runs the interceptors and the implementation of one unary method. Without
 * interceptors, what a handler returns or throws at once comes at once: each
 * turn of the microtask queue costs a small call a percent or two.
 */
export type InvokeUnary = (call: Call) => Message | Promise<Message>;

type AnyFn = (request: UnaryRequest | StreamRequest) => Promise<UnaryResponse | StreamResponse>;

/**
 * Puts the interceptors around a unary method once, at start-up. Interceptors
 * get the `Call` itself as their request and must hand on that very object: its
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
    return new UnaryReply(call, toMessage(schema, output));
  };
  let next: AnyFn = innermost;
  for (const interceptor of interceptors.toReversed()) next = interceptor(next);
  return async (call) => {
    const response = await next(call as unknown as UnaryRequest);
    return response.message as Message;
  };
}

/** What is told how a unary call came out. */
export interface Outcome {
  succeed(output: Message): void;
  fail(reason: unknown): void;
}

/** Tells what an implementation gave: at once, where it came at once. */
export function settle(output: Message | Promise<Message>, outcome: Outcome): void {
  if (output instanceof Promise) {
    output.then(
      (message) => outcome.succeed(message),
      (error: unknown) => outcome.fail(error),
    );
  } else outcome.succeed(output);
}

/** What interceptors see as the response of a unary call. */
class UnaryReply implements UnaryResponse {
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
  // A handler that returns nothing has answered an empty message, as with Connect's own handlers.
  const message = output as Message | undefined;
  return message?.$typeName === schema.typeName ? message : create(schema, output);
}
