import type { ServerResponse } from "node:http";
import { create, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ScannedJson } from "../../base/json/bounds.ts";
import type { Standing } from "../../base/rpc/request-head.ts";
import { Call } from "../call/call.ts";
import { reportLate, toSafeError } from "../call/failures.ts";
import { type InvokeUnary, reportOutcome } from "../call/invoke.ts";
import { CallRecord, type ProtocolName } from "../call/record.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { bodyLimitOf } from "../limits.ts";
import type { ServedMethod } from "../methods.ts";
import { type BodyReader, BodyScan, collectBody, type OpenScan } from "./body.ts";
import { type CloseListener, setCloseListener } from "./close-listener.ts";
import type { HttpResponse } from "./http.ts";
import { connectionOfRequest, type NodeRequest, type NodeResponse, peerOf } from "./http.ts";
import { type PlainResponse, sendPlain } from "./http1/plain-response.ts";
import { sendBeforeReading } from "./http1/waiting-responses.ts";
import { type ByteShare, countResponse, type ShareOwner } from "./open-bytes.ts";
import { endUnreadRequest, skipShortBody } from "./send.ts";

/** How a protocol reads and writes one unary method over plain HTTP. */
export interface UnaryHttp {
  readonly served: ServedMethod;
  readonly protocol: ProtocolName;
  readonly invoke: InvokeUnary;
  /** Returns the caller's timeout; undefined without one. Throws on a malformed one. */
  readonly timeoutMs: (request: NodeRequest) => number | undefined;
  readonly encode: (
    output: Message,
    call: Call,
    request: NodeRequest,
  ) => HttpResponse | PlainResponse | Promise<HttpResponse>;
  readonly encodeError: (error: ConnectError, call: Call) => HttpResponse;
}

/** The body of a request. */
export interface ReceivedBody {
  readonly body: Buffer;
  /** The body as it was sent, where a content encoding was undone. */
  readonly encoded: Buffer | undefined;
  /** The result of the scan that `openScan` opened. */
  readonly scanned: ScannedJson | undefined;
}

/** Reads the message from the body of a request. */
export type DecodeBody = (received: ReceivedBody, call: Call, request: NodeRequest) => Message;

/** How the message of one request is read. */
export interface UnaryInput {
  readonly decode: DecodeBody;
  /** Opens the scan of a long body, which runs while the body arrives. */
  readonly openScan?: OpenScan;
  /** Admits the caller before the body is read; without it every caller is known. */
  readonly admit?: ((call: Call) => Standing) | undefined;
}

/** Serves one unary call over an HTTP/1.1 or HTTP/2 request. */
export function serveUnaryHttp(
  gateway: GatewayContext,
  method: UnaryHttp,
  input: UnaryInput,
  request: NodeRequest,
  response: NodeResponse,
): void {
  new Exchange(gateway, method, input, request, response).start();
}

/** One request and its response. The first of response, error, deadline and a closed connection ends it. */
class Exchange implements BodyReader, ShareOwner, CloseListener {
  readonly #gateway: GatewayContext;
  readonly #method: UnaryHttp;
  readonly #input: UnaryInput;
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;
  readonly #record: CallRecord;
  readonly #call: Call;
  #hold: ByteShare | undefined;
  /** The scan of a long body. */
  #scan: BodyScan | undefined;
  #ended = false;

  constructor(
    gateway: GatewayContext,
    method: UnaryHttp,
    input: UnaryInput,
    request: NodeRequest,
    response: NodeResponse,
  ) {
    const { served, protocol } = method;
    const { headers } = request;
    this.#gateway = gateway;
    this.#method = method;
    this.#input = input;
    this.#request = request;
    this.#response = response;
    this.#record = new CallRecord(served.desc, protocol, peerOf(request.socket), headers);
    this.#call = new Call(served, this.#record, {
      method: request.method ?? "",
      target: request.url ?? "/",
      headers,
    });
  }

  start(): void {
    const { limits, observer, authorize, openBytes } = this.#gateway;
    const { served, timeoutMs } = this.#method;
    observer.started(this.#record);
    setCloseListener(this.#response, this);
    let standing: Standing;
    try {
      authorize(this.#record, served, this.#call.requestHeader);
      standing = this.#input.admit?.(this.#call) ?? "known";
      this.#call.startDeadline(timeoutMs(this.#request), limits.maxDeadlineMs);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#call.onAbort((reason) => this.fail(reason));
    if (typeof standing === "object" && "response" in standing) {
      this.#call.message = create(served.desc.input);
      this.succeed(standing.response);
      return;
    }
    this.#hold = openBytes.openBody(connectionOfRequest(this.#request), this, this.#record.startedMs);
    collectBody(this.#request, bodyLimitOf(standing, limits, served), this.#hold, this);
  }

  bytesRead(bytes: number): void {
    this.#record.bytesIn = bytes;
  }

  isRefused(beginning: Buffer): boolean {
    this.#scan ??= new BodyScan(this.#input.openScan);
    return this.#scan.isRefused(beginning);
  }

  receive(body: Buffer, encoded?: Buffer): void {
    sendBeforeReading(body.length);
    this.#decode({ body, encoded, scanned: this.#scan?.finish(body) });
  }

  #decode(received: ReceivedBody): void {
    this.#hold?.close();
    if (this.#ended) return;
    try {
      this.#call.message = this.#input.decode(received, this.#call, this.#request);
      reportOutcome(this.#method.invoke(this.#call), this);
    } catch (error) {
      this.fail(error);
    }
  }

  cut(reason: ConnectError): void {
    this.fail(reason);
  }

  succeed(output: Message): void {
    if (this.#ended) return;
    try {
      const content = this.#method.encode(output, this.#call, this.#request);
      if (content instanceof Promise) {
        content.then(
          (compressed) => this.finish(compressed),
          (error: unknown) => this.fail(error),
        );
      } else this.finish(content);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(reason: unknown): void {
    if (this.#ended) {
      reportLate(reason, this.#record, this.#gateway.reportFault);
      return;
    }
    const error = toSafeError(reason, this.#record, this.#gateway.reportFault);
    this.#record.code = error.code;
    this.finish(this.#method.encodeError(error, this.#call));
  }

  finish(content: HttpResponse | PlainResponse): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#hold?.close();
    this.#call.end();
    this.#record.bytesOut = this.#write(content);
    this.#gateway.observer.finished(this.#record);
  }

  /** Returns the size of the body, which is an internal error if the handler's headers cannot be sent. */
  #write(content: HttpResponse | PlainResponse): number {
    const { requestId } = this.#record;
    try {
      const bytes = Buffer.byteLength(content.body);
      this.#gateway.openBytes.checkResponse(bytes);
      write(this.#request, this.#response, requestId, content, bytes);
      countResponse(this.#gateway.openBytes, this.#request, this.#response, bytes);
      return bytes;
    } catch (fault) {
      const error = toSafeError(fault, this.#record, this.#gateway.reportFault);
      this.#record.code = error.code;
      const { status, body } = this.#method.encodeError(error, this.#call);
      const plain = { status, headers: { "content-type": "application/json" }, body };
      const bytes = Buffer.byteLength(body);
      write(this.#request, this.#response, requestId, plain, bytes);
      return bytes;
    }
  }

  closed(): void {
    if (!this.#ended) this.#call.abort(new ConnectError("the caller closed the connection", Code.Canceled));
  }
}

/** @param bytes the size of the body */
function write(
  request: NodeRequest,
  target: NodeResponse,
  requestId: string,
  content: HttpResponse | PlainResponse,
  bytes: number,
): void {
  // The two response types share these methods, but not their overloads.
  const response = target as ServerResponse;
  if (response.destroyed || response.writableEnded) return;
  const isPlain = "contentType" in content;
  if (isPlain && "shouldKeepAlive" in target && sendPlain(target, content, bytes, requestId)) return;
  const { status, headers, body } = isPlain ? withHeaders(content) : content;
  headers["x-request-id"] = requestId;
  headers["content-length"] = bytes;
  const isCut = !request.complete && !skipShortBody(request);
  if (isCut && request.httpVersionMajor === 1) headers["connection"] = "close";
  response.writeHead(status, headers);
  response.end(body);
  if (isCut) endUnreadRequest(request);
}

function withHeaders({ contentType, body }: PlainResponse): HttpResponse {
  return { status: 200, headers: { "content-type": contentType }, body };
}
