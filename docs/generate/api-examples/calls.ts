import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  JsonObject,
  MessageInitShape,
} from "@bufbuild/protobuf";

/** How a request over REST differs from the message. */
export interface RestForm<I extends DescMessage = DescMessage> {
  /** The request by GET, where the message is for another HTTP method. */
  readonly get?: MessageInitShape<I>;
  /** The secret that signs the body. */
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamOptions {
  /** Messages after which the call is ended; without it, the server ends the call. */
  readonly count?: number;
  /** Causes the messages after the first one. */
  readonly during?: () => Promise<unknown>;
}

/**
 * Calls of one server over REST or over Connect. The first call of an operation is its example. A method without a REST
 * form is called over Connect, and then is no example of REST.
 */
export interface Calls {
  /** Returns the JSON of the response. @throws Error if the call is refused */
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    form?: RestForm<I>,
  ): Promise<JsonObject>;
  /** Makes a call that is refused. @throws Error if it is not */
  refused<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O> | DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    form?: RestForm<I>,
  ): Promise<void>;
  serverStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
    options?: StreamOptions & RestForm<I>,
  ): Promise<void>;
  clientStream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodClientStreaming<I, O> | DescMethodBiDiStreaming<I, O>,
    requests: readonly MessageInitShape<I>[],
  ): Promise<void>;
}
