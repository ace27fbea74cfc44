import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createYield } from "../../base/async/yield.ts";
import { kRequestAttachment, type RestCodecs } from "../../base/rpc/rest-codec.ts";
import { Call } from "../call/call.ts";
import { toSafeError } from "../call/failures.ts";
import { compileStream } from "../call/invoke.ts";
import { CallRecord } from "../call/record.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { readBody } from "../http/body.ts";
import { connectionOfRequest, type NodeRequest, type NodeResponse, peerOf } from "../http/http.ts";
import type { ByteShare } from "../http/open-bytes.ts";
import { abortResponse, sendResponse } from "../http/send.ts";
import { bodyLimitOf } from "../limits.ts";
import type { OpenStream } from "../open-streams.ts";
import type { RestBinding } from "./bindings.ts";
import { compileAdmit, compileRequest } from "./request.ts";
import { compileResponse, type WriteResponse } from "./response.ts";
import { encodeError } from "./status.ts";
import type { ServeRoute } from "./unary.ts";

/**
 * A server-streaming method over REST: each message is sent as it comes, no
 * faster than the caller reads. An error before the first message is an error
 * response like any other; a later one cuts the response off.
 */
export function compileStreamRoute(
  gateway: GatewayContext,
  binding: RestBinding,
  codecs: RestCodecs,
): ServeRoute {
  const { served } = binding;
  const { read, openScan } = compileRequest(binding, codecs, gateway);
  const writer = compileResponse(binding, codecs);
  const invoke = compileStream(served, gateway.interceptors);
  const admit = compileAdmit(binding);
  return async (request, response, segments, query) => {
    const record = new CallRecord(served.desc, "rest", peerOf(request.socket), request.headers);
    const { method = "", url = "/", headers } = request;
    const call = new Call(served, record, { method, target: url, headers });
    gateway.observer.started(record);
    const cut = (reason: ConnectError): void => call.abort(reason);
    const hold = gateway.openBytes.openBody(connectionOfRequest(request), { cut });
    const reading = gateway.openBytes.openStream(connectionOfRequest(request), { cut });
    const release = abortWith(call, response, gateway.shutdownSignal);
    const stream: OpenStream = { record, served, header: call.requestHeader, cut };
    gateway.streams.add(stream);
    try {
      await untilCallAborted(call, async () => {
        gateway.authorize(record, served, call.requestHeader);
        const standing = admit?.(call, segments, query) ?? "known";
        if (typeof standing === "object" && "response" in standing)
          throw new Error(`${served.name} streams its response, so admit cannot return one`);
        const room = bodyLimitOf(standing, gateway.limits, served);
        const bytesRead = (bytes: number): void => {
          record.bytesIn = bytes;
        };
        const { body, scanned } = await readBody(request, room, hold, { bytesRead, openScan });
        hold.close();
        if (call.aborted) return;
        const { message, attachment } = read({
          body,
          scanned,
          contentType: headers["content-type"],
          segments,
          query,
        });
        call.values.set(kRequestAttachment, served.options.rawBody ? { body } : attachment);
        call.message = message;
        await pump(call, await invoke(call), writer, request, response, reading);
      });
    } catch (reason) {
      const error = toSafeError(reason, record, gateway.reportFault);
      record.code = error.code;
      if (response.headersSent) abortResponse(request, response);
      else {
        const content = encodeError(error, served);
        content.headers["x-request-id"] = record.requestId;
        record.bytesOut = content.body.length;
        sendResponse(request, response, content);
      }
    } finally {
      hold.close();
      reading.close();
      release();
      gateway.streams.delete(stream);
      call.end();
      gateway.observer.finished(record);
    }
  };
}

/** Aborts the call when the caller closes the connection or the server stops. */
function abortWith(call: Call, response: NodeResponse, shutdown: AbortSignal): () => void {
  let isFinished = false;
  const onFinish = (): void => {
    isFinished = true;
  };
  const onClose = (): void => {
    if (!isFinished) call.abort(new ConnectError("the caller closed the connection", Code.Canceled));
  };
  const onShutdown = (): void =>
    call.abort(new ConnectError("the server is shutting down", Code.Unavailable));
  response.once("finish", onFinish);
  response.once("close", onClose);
  shutdown.addEventListener("abort", onShutdown, { once: true });
  if (shutdown.aborted) onShutdown();
  return () => {
    response.off("finish", onFinish).off("close", onClose);
    shutdown.removeEventListener("abort", onShutdown);
  };
}

/** Rejects as soon as the call is aborted: a handler may not look at its signal. */
function untilCallAborted(call: Call, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    call.onAbort(reject);
    work().then(resolve, reject);
  });
}

async function pump(
  call: Call,
  messages: AsyncIterable<Message>,
  writer: WriteResponse,
  request: NodeRequest,
  target: NodeResponse,
  reading: ByteShare,
): Promise<void> {
  // The two response types have these methods in common, but not in their overloads.
  const response = target as ServerResponse;
  const { record } = call;
  let index = 0;
  const yieldToEventLoop = createYield();
  for await (const message of messages) {
    if (call.aborted) return;
    const chunk = writer.write(message, call, index);
    const bytes = Buffer.byteLength(chunk);
    reading.check(bytes);
    if (index === 0) response.writeHead(200, headersOf(call, writer.contentTypeOf(message)));
    index++;
    if (request.method === "HEAD") break;
    record.bytesOut += bytes;
    reading.take(bytes);
    if (bytes > 0 && !response.write(chunk)) await drained(response);
    reading.settle();
    // Messages that are at hand, for a caller that reads fast, would let nothing else run.
    await yieldToEventLoop();
    if (call.aborted) return;
  }
  if (index === 0) response.writeHead(200, headersOf(call, writer.emptyType));
  await ended(response);
}

function headersOf(call: Call, contentType: string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  call.assignResponseHeader(headers);
  headers["content-type"] = contentType;
  headers["x-request-id"] = call.record.requestId;
  return headers;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}

function ended(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("finish", resolve).end();
  });
}
