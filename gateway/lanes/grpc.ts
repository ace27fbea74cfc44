import type {
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
  ServerStreamResponseOptions,
} from "node:http2";
import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { parseTimeout } from "@connectrpc/connect/protocol-grpc";
import { loadHttp2 } from "../../base/net/late-modules.ts";
import { Call } from "../call/call.ts";
import { reportLate, toSafeError } from "../call/failures.ts";
import { compileUnary, type InvokeUnary, reportOutcome } from "../call/invoke.ts";
import { CallRecord } from "../call/record.ts";
import { malformedMessage, messageTooLarge } from "../call/refusals.ts";
import { assignGrpcStatus } from "../call/status.ts";
import { createWireCodec, type Encoded, type WireCodec } from "../codec/wire.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { type CloseListener, setCloseListener } from "../http/close-listener.ts";
import { connectionOf } from "../http/connections.ts";
import { peerOf } from "../http/http.ts";
import { type BodyReader, readBody, release, respondDirectly } from "../http/http2/direct-streams.ts";
import { noHeaders, withHeader } from "../http/http2/header-block.ts";
import { MessageBuffer } from "../http/message-buffer.ts";
import { type ByteShare, countStreamResponse, minCountedBytes, type ShareOwner } from "../http/open-bytes.ts";
import { endUnreadStream } from "../http/send.ts";
import { maxMessageBytesOf } from "../limits.ts";
import type { ServedMethod } from "../methods.ts";
import { prefixBytes, unwrapMessage } from "./grpc-framing.ts";

interface LaneMethod {
  readonly served: ServedMethod;
  readonly invoke: InvokeUnary;
  readonly maxBytes: number;
  readonly input: WireCodec;
  readonly output: WireCodec;
}

const contentType = "application/grpc+proto";

/**
 * The lane for unary gRPC calls without compression. It works on the HTTP/2
 * stream itself and calls the same implementations and interceptors as Connect's
 * handlers do. Returns false for other streams.
 */
export function createGrpcLane(
  gateway: GatewayContext,
): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean {
  const methods = new Map<string, LaneMethod>();
  for (const served of gateway.services.flatMap((service) => service.methods)) {
    if (served.spec.kind !== "unary") continue;
    methods.set(`/${served.name}`, {
      served,
      invoke: compileUnary(served, gateway.interceptors),
      maxBytes: maxMessageBytesOf(gateway.limits, served),
      input: createWireCodec(served.desc.input),
      output: createWireCodec(served.desc.output),
    });
  }
  return (stream, headers) => {
    const type = headers["content-type"];
    if (type !== "application/grpc" && type !== contentType) return false;
    const encoding = headers["grpc-encoding"];
    if (encoding !== undefined && encoding !== "identity") return false;
    const method = methods.get(headers[":path"] as string);
    if (method === undefined || headers[":method"] !== "POST") return false;
    new UnaryStream(gateway, method, stream, headers).start(headers);
    return true;
  };
}

/** One unary call on one HTTP/2 stream. */
class UnaryStream implements BodyReader, CloseListener, ShareOwner {
  readonly #gateway: GatewayContext;
  readonly #method: LaneMethod;
  readonly #stream: ServerHttp2Stream;
  readonly #record: CallRecord;
  readonly #call: Call;
  readonly #body = new MessageBuffer();
  #hold: ByteShare | undefined;
  #expectedBytes = 0;
  #ended = false;

  constructor(
    gateway: GatewayContext,
    method: LaneMethod,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
  ) {
    this.#gateway = gateway;
    this.#method = method;
    this.#stream = stream;
    const peer = peerOf(stream.session as ServerHttp2Session);
    this.#record = new CallRecord(method.served.desc, "grpc", peer, headers);
    this.#call = new Call(method.served, this.#record, {
      method: "POST",
      target: headers[":path"] as string,
      headers,
    });
    setCloseListener(stream, this);
  }

  start(headers: IncomingHttpHeaders): void {
    const gateway = this.#gateway;
    gateway.observer.started(this.#record);
    try {
      gateway.authorize(this.#record, this.#method.served, this.#call.requestHeader);
      const timeout = headers["grpc-timeout"];
      const { timeoutMs, error } =
        typeof timeout === "string" ? parseTimeout(timeout, Number.MAX_SAFE_INTEGER) : noTimeout;
      if (error !== undefined) throw error;
      this.#call.startDeadline(timeoutMs, gateway.limits.maxDeadlineMs);
    } catch (error) {
      this.#stream.on("error", ignore);
      this.fail(error);
      return;
    }
    this.#call.onAbort((reason) => this.fail(reason));
    this.#hold = gateway.openBytes.openBody(connectionOf(this.#stream.session), this, this.#record.startedMs);
    readBody(this.#stream, this);
  }

  data(chunk: Buffer): boolean {
    if (this.#ended) return true;
    const { maxBytes } = this.#method;
    this.#body.add(chunk, this.#expectedBytes);
    this.#hold?.take(chunk.length);
    if (this.#ended) return true;
    const { length, bytes } = this.#body;
    // The prefix declares the size before the message arrives. Counting the bytes finds a wrong declaration.
    if (this.#expectedBytes === 0 && length >= prefixBytes) {
      const declared = (bytes as Buffer).readUInt32BE(1);
      this.#expectedBytes = declared + prefixBytes;
      if (declared > maxBytes) this.fail(messageTooLarge(declared, maxBytes));
    }
    if (length > maxBytes + prefixBytes) this.fail(messageTooLarge(undefined, maxBytes));
    return length !== this.#expectedBytes;
  }

  end(): void {
    this.#hold?.close();
    if (this.#ended) return;
    try {
      const payload = unwrapMessage(this.#body.take());
      this.#record.bytesIn = payload.length;
      this.#call.message = decode(this.#method, payload);
      reportOutcome(this.#method.invoke(this.#call), this);
    } catch (error) {
      this.fail(error);
    }
  }

  succeed(message: Message): void {
    if (this.#ended) return;
    let encoded: Encoded;
    try {
      encoded = this.#method.output.encode(message, prefixBytes);
      this.#gateway.openBytes.checkResponse(encoded.head.length + (encoded.tail?.length ?? 0));
    } catch (error) {
      this.fail(error);
      return;
    }
    const { head, tail } = encoded;
    const bytes = head.length - prefixBytes + (tail?.length ?? 0);
    head[0] = 0;
    head.writeUInt32BE(bytes, 1);
    if (tail === undefined && this.#respondDirectly(head)) {
      this.#finish(undefined, bytes);
      return;
    }
    const stream = this.#stream;
    release(stream);
    const headers = this.#head();
    this.#call.assignResponseHeader(headers);
    if (!this.#respond(headers, withTrailers)) return;
    this.#finish(undefined, bytes);
    // A listener that stays would keep the message as long as the stream (decision 144).
    stream.once("wantTrailers", () => this.#sendTrailers());
    countStreamResponse(this.#gateway.openBytes, stream, bytes);
    if (tail === undefined) {
      stream.end(head);
      return;
    }
    stream.cork();
    stream.write(head);
    stream.end(tail);
  }

  fail(reason: unknown): void {
    if (this.#ended) {
      reportLate(reason, this.#record, this.#gateway.reportFault);
      return;
    }
    release(this.#stream);
    const error = toSafeError(reason, this.#record, this.#gateway.reportFault);
    const headers = this.#head();
    this.#call.assignResponseHeader(headers);
    this.#call.assignResponseTrailer(headers);
    assignGrpcStatus(headers, error);
    if (!this.#respond(headers, withoutBody)) return;
    this.#finish(error.code, 0);
    this.#closeRequest();
  }

  cut(reason: ConnectError): void {
    this.fail(reason);
  }

  closed(): void {
    if (!this.#ended) this.#call.abort(new ConnectError("the caller closed the connection", Code.Canceled));
  }

  #sendTrailers(): void {
    const trailers: OutgoingHttpHeaders = {};
    this.#call.assignResponseTrailer(trailers);
    trailers["grpc-status"] = "0";
    try {
      this.#stream.sendTrailers(trailers);
    } catch (error) {
      this.#gateway.reportFault(error, this.#record);
      this.#stream.close(loadHttp2().constants.NGHTTP2_INTERNAL_ERROR);
    }
  }

  #head(): OutgoingHttpHeaders {
    return { ":status": 200, "content-type": contentType, "x-request-id": this.#record.requestId };
  }

  /**
   * Sends the head and returns true. If it cannot be sent, the call ends, with an internal error if the stream is open.
   */
  #respond(headers: OutgoingHttpHeaders, options: ServerStreamResponseOptions): boolean {
    const stream = this.#stream;
    if (!this.#isOpen) {
      this.#finish(Code.Canceled, 0);
      return false;
    }
    try {
      stream.respond(headers, options);
      return true;
    } catch (fault) {
      const error = toSafeError(fault, this.#record, this.#gateway.reportFault);
      const plain = this.#head();
      assignGrpcStatus(plain, error);
      stream.respond(plain, withoutBody);
      this.#finish(error.code, 0);
      this.#closeRequest();
      return false;
    }
  }

  /** Sends a small response without headers and trailers of the handler; returns false for others. */
  #respondDirectly(body: Buffer): boolean {
    const { hasResponseHeader, hasResponseTrailer } = this.#call;
    if (hasResponseHeader || hasResponseTrailer || body.length >= minCountedBytes || !this.#isOpen)
      return false;
    const head = withHeader(successHead, "x-request-id", this.#record.requestId);
    return respondDirectly(this.#stream, { head, body, trailers: successTrailers });
  }

  get #isOpen(): boolean {
    return !this.#stream.destroyed && !this.#stream.closed;
  }

  /** Closes the request half of a stream whose response comes before its end, or it would block a drain. */
  #closeRequest(): void {
    if (!this.#stream.readableEnded) endUnreadStream(this.#stream);
  }

  #finish(code: Code | undefined, bytesOut: number): void {
    this.#ended = true;
    this.#hold?.close();
    this.#body.take();
    this.#record.code = code;
    this.#record.bytesOut = bytesOut;
    this.#call.end();
    this.#gateway.observer.finished(this.#record);
  }
}

const successHead = withHeader(withHeader(noHeaders, ":status", "200"), "content-type", contentType);
const successTrailers = withHeader(noHeaders, "grpc-status", "0");

const noTimeout: ReturnType<typeof parseTimeout> = {};
/** gRPC does not use the date, and each header takes time. */
const withTrailers = { waitForTrailers: true, sendDate: false };
const withoutBody = { endStream: true, sendDate: false };

function ignore(): void {}

function decode({ served, input }: LaneMethod, payload: Uint8Array): Message {
  try {
    return input.decode(payload);
  } catch (error) {
    throw malformedMessage(served.desc.input.typeName, error);
  }
}
