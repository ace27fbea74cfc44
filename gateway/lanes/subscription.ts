import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Message } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { parseTimeout } from "@connectrpc/connect/protocol-grpc";
import { maxTimerMs } from "../../base/async/clock.ts";
import { Call } from "../call/call.ts";
import { toSafeError } from "../call/failures.ts";
import type { CallRecord } from "../call/record.ts";
import { malformedMessage, messageTooLarge } from "../call/refusals.ts";
import { assignGrpcStatus } from "../call/status.ts";
import { createWireCodec, type WireCodec } from "../codec/wire.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { connectionOf } from "../http/connections.ts";
import { MessageBuffer } from "../http/message-buffer.ts";
import type { ByteShare } from "../http/open-bytes.ts";
import { enterStream } from "../http/open-calls.ts";
import { endUnreadStream } from "../http/send.ts";
import { maxMessageBytesOf } from "../limits.ts";
import type { ServedMethod, Subscribe, Subscriber } from "../methods.ts";
import type { OpenStream } from "../open-streams.ts";
import { prefixBytes, unwrapMessage } from "./grpc-framing.ts";

/** Serves a call whose caller is authorized. */
export type ServeSubscription = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  record: CallRecord,
) => void;

interface SubscriptionMethod {
  readonly served: ServedMethod;
  readonly subscribe: Subscribe;
  readonly maxBytes: number;
  readonly input: WireCodec;
  readonly output: WireCodec;
}

/**
 * Creates the lane for calls of a method with `subscribe`, over gRPC without compression. Thousands of them may be open
 * and close together. Beginning and ending one takes a fifth of the time of Connect's handlers, which make a dozen
 * promises and generators for it. Returns undefined if interceptors have to see the calls.
 */
export function createSubscriptionLane(
  gateway: GatewayContext,
  served: ServedMethod,
): ServeSubscription | undefined {
  const { subscribe } = served;
  if (subscribe === undefined || gateway.interceptors.length > 0) return undefined;
  const method: SubscriptionMethod = {
    served,
    subscribe,
    maxBytes: maxMessageBytesOf(gateway.limits, served),
    input: createWireCodec(served.desc.input),
    output: createWireCodec(served.desc.output),
  };
  return (stream, headers, record) => {
    new SubscriptionCall({ gateway, method }, stream, headers, record).start(headers);
  };
}

/** Reports whether a call is gRPC without compression. */
export function isPlainGrpc(headers: IncomingHttpHeaders): boolean {
  const type = headers["content-type"];
  const encoding = headers["grpc-encoding"] ?? "identity";
  return (type === "application/grpc" || type === contentType) && encoding === "identity";
}

const contentType = "application/grpc+proto";

interface SubscriptionLane {
  readonly gateway: GatewayContext;
  readonly method: SubscriptionMethod;
}

/** One call. Shared listeners find it by `kCall`, so that it creates no closures. */
class SubscriptionCall implements OpenStream, Subscriber {
  readonly #lane: SubscriptionLane;
  readonly #stream: LaneStream;
  readonly record: CallRecord;
  readonly served: ServedMethod;
  readonly #call: Call;
  #body: MessageBuffer | undefined = new MessageBuffer();
  #hold: ByteShare | undefined;
  #leave: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;
  /** The latest message for a caller that does not read; earlier ones are out of date. */
  #pending: Message | undefined;
  #isFull = false;
  #isComplete = false;
  #error: ConnectError | undefined;
  #ended = false;

  constructor(
    lane: SubscriptionLane,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    record: CallRecord,
  ) {
    this.#lane = lane;
    this.#stream = stream;
    this.record = record;
    this.served = lane.method.served;
    const target = headers[":path"] as string;
    this.#call = new Call(this.served, record, { method: "POST", target, headers });
    this.#stream[kCall] = this;
  }

  get header(): Headers {
    return this.#call.requestHeader;
  }

  readonly enter = (): void => {
    this.#leave ??= enterStream(connectionOf(this.#stream.session), this.#lane.gateway.limits);
  };

  start(headers: IncomingHttpHeaders): void {
    const { gateway } = this.#lane;
    const stream = this.#stream;
    gateway.streams.add(this);
    gateway.observer.started(this.record);
    stream.on("error", ignore).on("close", onClose);
    const connection = connectionOf(stream.session);
    try {
      if (this.record.caller.kind === "anonymous") this.enter();
      const timeout = headers["grpc-timeout"];
      const { timeoutMs, error } =
        typeof timeout === "string" ? parseTimeout(timeout, Number.MAX_SAFE_INTEGER) : noTimeout;
      if (error !== undefined) throw error;
      // Without a timeout it may be open for ever.
      if (timeoutMs !== undefined && timeoutMs < maxTimerMs) this.#call.startDeadline(timeoutMs, maxTimerMs);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#call.onAbort((reason) => this.fail(reason));
    this.#hold = gateway.openBytes.openBody(connection, this);
    stream.on("data", onData).on("end", onEnd);
  }

  data(chunk: Buffer): void {
    if (this.#body === undefined) return;
    const { maxBytes } = this.#lane.method;
    this.#body.add(chunk, 0);
    this.#hold?.take(chunk.length);
    const { length, bytes } = this.#body ?? noBody;
    if (bytes === undefined || length < prefixBytes) return;
    const declared = bytes.readUInt32BE(1);
    if (declared > maxBytes) this.fail(messageTooLarge(declared, maxBytes));
    else if (length > maxBytes + prefixBytes) this.fail(messageTooLarge(undefined, maxBytes));
  }

  receive(): void {
    this.#hold?.close();
    // A stream that is reset ends too.
    if (this.#ended || this.#stream.rstCode !== 0) return;
    const { subscribe } = this.#lane.method;
    try {
      const payload = unwrapMessage(this.#body?.take());
      this.#body = undefined;
      this.record.bytesIn = payload.length;
      const message = this.#decode(payload);
      this.#call.message = message;
      this.#stream.respond(this.#head(), withTrailers);
      this.#stream.on("wantTrailers", onWantTrailers);
      this.#unsubscribe = subscribe(message, this);
      if (this.#isComplete || this.#ended) this.#unsubscribe();
    } catch (error) {
      this.fail(error);
    }
  }

  #decode(payload: Uint8Array): Message {
    const { served, input } = this.#lane.method;
    try {
      return input.decode(payload);
    } catch (error) {
      throw malformedMessage(served.desc.input.typeName, error);
    }
  }

  send(message: Message): void {
    if (this.#ended || this.#stream.destroyed) return;
    if (this.#isFull) {
      this.#pending = message;
      return;
    }
    const { head, tail = noBytes } = this.#lane.method.output.encode(message, prefixBytes);
    const bytes = head.length - prefixBytes + tail.length;
    head[0] = 0;
    head.writeUInt32BE(bytes, 1);
    this.record.bytesOut += bytes;
    const frame = tail.length === 0 ? head : Buffer.concat([head, tail]);
    this.#isFull = !this.#stream.write(frame);
    if (this.#isFull) this.#stream.once("drain", onDrain);
  }

  complete(): void {
    this.#isComplete = true;
    if (!this.#isFull) this.#end(undefined);
  }

  drained(): void {
    const message = this.#pending;
    this.#isFull = false;
    this.#pending = undefined;
    if (message !== undefined) this.send(message);
    if (this.#isComplete && !this.#isFull) this.#end(undefined);
  }

  fail(reason: unknown): void {
    if (this.#ended) return;
    const { reportFault } = this.#lane.gateway;
    const error = toSafeError(reason, this.record, reportFault);
    if (this.#stream.headersSent) {
      this.#end(error);
      return;
    }
    this.#finish(error.code);
    if (this.#stream.destroyed || this.#stream.closed) return;
    const headers: OutgoingHttpHeaders = this.#head();
    for (const [name, value] of error.metadata) headers[name] = value;
    assignGrpcStatus(headers, error);
    this.#stream.respond(headers, withoutBody);
    if (!this.#stream.readableEnded) endUnreadStream(this.#stream);
  }

  cut(reason: ConnectError): void {
    this.fail(reason);
  }

  closed(): void {
    if (!this.#ended) this.#finish(Code.Canceled);
  }

  sendTrailers(): void {
    const trailers: OutgoingHttpHeaders = { "grpc-status": "0" };
    if (this.#error !== undefined) assignGrpcStatus(trailers, this.#error);
    this.#stream.sendTrailers(trailers);
  }

  #head(): OutgoingHttpHeaders {
    return { ":status": 200, "content-type": contentType, "x-request-id": this.record.requestId };
  }

  #end(error: ConnectError | undefined): void {
    if (this.#ended) return;
    this.#error = error;
    this.#finish(error?.code);
    this.#stream.end();
  }

  #finish(code: Code | undefined): void {
    const { gateway } = this.#lane;
    this.#ended = true;
    this.#body = undefined;
    gateway.streams.delete(this);
    this.#hold?.close();
    this.#unsubscribe?.();
    this.#leave?.();
    this.record.code = code;
    this.#call.end();
    gateway.observer.finished(this.record);
  }
}

const kCall = Symbol("subscription");
type LaneStream = ServerHttp2Stream & { [kCall]?: SubscriptionCall };

const noTimeout: ReturnType<typeof parseTimeout> = {};
const noBody = { length: 0, bytes: undefined };
const noBytes = new Uint8Array(0);
const withTrailers = { waitForTrailers: true, sendDate: false };
const withoutBody = { endStream: true, sendDate: false };

function onData(this: LaneStream, chunk: Buffer): void {
  this[kCall]?.data(chunk);
}

function onEnd(this: LaneStream): void {
  this[kCall]?.receive();
}

function onDrain(this: LaneStream): void {
  this[kCall]?.drained();
}

function onClose(this: LaneStream): void {
  this[kCall]?.closed();
}

function onWantTrailers(this: LaneStream): void {
  this[kCall]?.sendTrailers();
}

function ignore(): void {}
