import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { readBody } from "./body.ts";
import { Call } from "./call.ts";
import type { Core } from "./core.ts";
import { toSafeError } from "./failures.ts";
import type { InvokeUnary } from "./invoke.ts";
import { maxMessageBytesOf } from "./limits.ts";
import type { ServedMethod } from "./methods.ts";
import { type NodeRequest, type NodeResponse, peerOf } from "./port.ts";
import { CallRecord, type ProtocolName } from "./record.ts";

/** How a protocol reads and writes one unary method over plain HTTP. */
export interface UnaryHttp {
  readonly served: ServedMethod;
  readonly protocol: ProtocolName;
  readonly invoke: InvokeUnary;
  /** Milliseconds the caller gives, undefined for no deadline of its own. Throws on a malformed one. */
  readonly timeoutMs: (request: NodeRequest) => number | undefined;
  readonly decode: (body: Buffer, call: Call, request: NodeRequest) => Message;
  readonly encode: (output: Message, call: Call, request: NodeRequest) => HttpAnswer | Promise<HttpAnswer>;
  readonly encodeError: (error: ConnectError, call: Call) => HttpAnswer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array | string;
}

/** Serves one unary call over HTTP/1.1 or HTTP/2 requests, from its first byte to its report. */
export async function serveUnaryHttp(
  core: Core,
  method: UnaryHttp,
  request: NodeRequest,
  response: NodeResponse,
): Promise<void> {
  const { served } = method;
  const record = new CallRecord(served.desc, method.protocol, peerOf(request.socket), request.headers);
  const call = new Call(served, record, {
    method: request.method ?? "",
    target: request.url ?? "/",
    headers: request.headers,
  });
  core.observer.started(record);
  response.once("close", () => call.abort(new ConnectError("the caller went away", Code.Canceled)));
  let answer: HttpAnswer;
  try {
    core.authorize(record, served, call.requestHeader);
    const { maxDeadlineMs } = core.limits;
    call.startDeadline(Math.min(method.timeoutMs(request) ?? maxDeadlineMs, maxDeadlineMs));
    const output = await untilAborted(call, async () => {
      const body = await readBody(request, maxMessageBytesOf(core.limits, served), (bytes) => {
        record.bytesIn = bytes;
      });
      call.message = method.decode(body, call, request);
      return method.invoke(call);
    });
    answer = await method.encode(output, call, request);
  } catch (reason) {
    const error = toSafeError(reason, record, core.reportFault);
    record.code = error.code;
    answer = method.encodeError(error, call);
  }
  call.end();
  try {
    write(request, response, record.requestId, answer);
  } catch (fault) {
    const error = toSafeError(fault, record, core.reportFault);
    record.code = error.code;
    const { status, body } = method.encodeError(error, call);
    answer = { status, headers: { "content-type": "application/json" }, body };
    write(request, response, record.requestId, answer);
  }
  record.bytesOut = Buffer.byteLength(answer.body);
  core.observer.finished(record);
}

function untilAborted(call: Call, work: () => Promise<Message>): Promise<Message> {
  return new Promise((resolve, reject) => {
    call.onAbort(reject);
    work().then(resolve, reject);
  });
}

/** A caller that is still sending gets this much read and thrown away, so that it comes to read its answer. */
const drainMaxBytes = 256 * 1024;
const drainMs = 500;

function write(request: NodeRequest, target: NodeResponse, requestId: string, answer: HttpAnswer): void {
  // The two response types have these methods in common, but not in their overloads.
  const response = target as ServerResponse;
  if (response.destroyed || response.writableEnded) return;
  const { headers } = answer;
  headers["x-request-id"] = requestId;
  headers["content-length"] = Buffer.byteLength(answer.body);
  if (request.complete) {
    response.writeHead(answer.status, headers);
    response.end(answer.body);
    return;
  }
  if (request.httpVersionMajor === 1) headers["connection"] = "close";
  response.writeHead(answer.status, headers);
  response.end(answer.body, () => discard(request));
}

/** Cutting the connection at once would make the caller's system drop the answer that it has not read. */
function discard(request: NodeRequest): void {
  let bytes = 0;
  const cut = (): void => {
    request.destroy();
  };
  const timer = setTimeout(cut, drainMs);
  request.once("close", () => clearTimeout(timer));
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainMaxBytes) cut();
  });
}
