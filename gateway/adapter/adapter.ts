import { setImmediate } from "node:timers/promises";
import { toJsonString } from "@bufbuild/protobuf";
import {
  Code,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import type * as connectNode from "@connectrpc/connect-node";
import { eachUntilAborted } from "../../base/async/abort.ts";
import { loadOnce } from "../../base/async/load-once.ts";
import { abortError, enforceDeadline, startDeadline } from "../call/deadline.ts";
import { concealFaults } from "../call/failures.ts";
import { CallRecord, kRecord, type ProtocolName, recordOf } from "../call/record.ts";
import { createJsonBodyReader, hasLongs } from "../codec/json.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { connectionOfRequest, isClosed, type NodeRequest, type NodeResponse, peerOf } from "../http/http.ts";
import { sendBeforeReading } from "../http/http1/waiting-responses.ts";
import type { ByteShare } from "../http/open-bytes.ts";
import { enterStream } from "../http/open-calls.ts";
import { abortResponse, endUnreadRequest } from "../http/send.ts";
import { knownFlagsOf } from "../lanes/grpc-framing.ts";
import { jsonBoundsOf, maxMessageBytesOf } from "../limits.ts";
import { httpMethodsOf, type ServedMethod } from "../methods.ts";
import { refuseMethod } from "../rest/refuse-method.ts";
import { checkBody, checkFrames } from "./check-messages.ts";
import { joinBody, joinMessages } from "./join-messages.ts";
import { loadOrRefuse } from "./load-or-refuse.ts";
import { codeOf, observeResponse, recordCode } from "./outcome.ts";
import { refuseLarge } from "./refuse-large.ts";
import { openRevocation } from "./revocation.ts";
import { explainUnsupportedType, reportMalformedMessage, reportMalformedMessages } from "./rewrite-errors.ts";

interface Handlers {
  readonly byPath: ReadonlyMap<string, UniversalHandler>;
  /** Converts requests and responses of Node. */
  readonly node: typeof connectNode;
}

/**
 * Serves gRPC, gRPC-Web and Connect with Connect's own handlers: streams,
 * compression and other calls that the lanes do not take. Returns false for a
 * path that is no RPC. `join-messages.ts` and `check-messages.ts` bound the
 * request, `refuse-large.ts` the response; `outcome.ts` and `rewrite-errors.ts`
 * observe and correct the response.
 */
export function createAdapter(
  gateway: GatewayContext,
): (request: NodeRequest, response: NodeResponse, path: string) => boolean {
  const methods = gateway.services.flatMap((service) => service.methods);
  const served = new Map(methods.map((method) => [`/${method.name}`, method]));
  // Connect's functions for Node load HTTP/2 and TLS, which the start of a server does not wait for.
  const load = loadOnce(async () =>
    createHandlers(gateway, served, await import("@connectrpc/connect-node")),
  );
  return (request, response, path) => {
    const method = served.get(path);
    if (method === undefined) return false;
    const methods = httpMethodsOf(method);
    if (!methods.includes(request.method ?? "")) refuseMethod(request, response, { path, methods });
    else void handle(gateway, method, load, request, response);
    return true;
  };
}

function createHandlers(
  gateway: GatewayContext,
  served: ReadonlyMap<string, ServedMethod>,
  node: typeof connectNode,
): Handlers {
  const router = createConnectRouter({
    acceptCompression: [node.compressionGzip, node.compressionBrotli],
    compressMinBytes: gateway.limits.compressMinBytes,
    shutdownSignal: gateway.shutdownSignal,
    requestGate: createGate(gateway, served),
    interceptors: [
      recordCode,
      reportMalformedMessages,
      enforceDeadline(gateway.limits.maxDeadlineMs),
      concealFaults(gateway.reportFault),
      yieldBetweenMessages,
      ...gateway.interceptors,
    ],
  });
  for (const method of served.values()) {
    router.rpc(method.desc, method.spec.impl as never, {
      readMaxBytes: maxMessageBytesOf(gateway.limits, method),
      // The types of the router lack this option.
      jsonOptions: { textDecoder: checkingDecoder(gateway, method) } as object,
    });
  }
  return { byPath: new Map(router.handlers.map((handler) => [handler.requestPath, handler])), node };
}

/**
 * Creates the decoder of the JSON messages of a method. It reads each message as
 * the lane does and gives the library a text that it reads as the same message.
 */
function checkingDecoder(
  gateway: GatewayContext,
  method: ServedMethod,
): { decode(bytes: Uint8Array): string } {
  const { input } = method.desc;
  const read = createJsonBodyReader(input, jsonBoundsOf(gateway.limits, method), gateway.unknownMembers);
  const isExact = !hasLongs(input);
  return {
    decode(bytes) {
      sendBeforeReading(bytes.length);
      const { message, text } = read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return isExact ? text : toJsonString(input, message);
    },
  };
}

/** The state of a call once its headers are read. */
interface Upload {
  /** Ends the body: Connect waits for it without checking the signal. */
  signal?: AbortSignal;
  /** Counts a streaming call of a caller without a key, once. */
  readonly enter: () => void;
}

const kUpload = createContextKey<Upload>({ enter() {} }, { description: "upload" });

/** Creates the check that runs when the headers are read and the body is not. */
function createGate(
  gateway: GatewayContext,
  served: ReadonlyMap<string, ServedMethod>,
): (context: HandlerContext) => void {
  return (context) => {
    const record = recordOf(context.values);
    const upload = context.values.get(kUpload);
    upload.signal = context.signal;
    context.responseHeader.set("x-request-id", record.requestId);
    const method = served.get(`/${context.service.typeName}/${context.method.name}`) as ServedMethod;
    gateway.authorize(record, method, context.requestHeader);
    if (method.spec.kind !== "unary" && record.caller.kind === "anonymous") upload.enter();
  };
}

async function handle(
  gateway: GatewayContext,
  served: ServedMethod,
  load: () => Promise<Handlers>,
  request: NodeRequest,
  response: NodeResponse,
): Promise<void> {
  const record = new CallRecord(served.desc, protocolOf(request), peerOf(request.socket), request.headers);
  gateway.observer.started(record);
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  // Only calls with one message have a time limit: streams may stay open for ever.
  using limit = served.spec.kind === "unary" ? startDeadline(gateway.limits.maxDeadlineMs) : undefined;
  const cut = new AbortController();
  const connection = connectionOfRequest(request);
  const hold = gateway.openBytes.openBody(connection, { cut: (reason) => cut.abort(reason) });
  // A streaming client may wait between messages.
  if (served.desc.methodKind === "client_streaming" || served.desc.methodKind === "bidi_streaming")
    hold.settle();
  const reading = gateway.openBytes.openStream(connection, { cut: () => abortResponse(request, response) });
  let leave: (() => void) | undefined;
  const enter = (): void => {
    leave ??= enterStream(connection, gateway.limits);
  };
  const upload: Upload = { enter };
  const revocation =
    served.spec.kind === "unary"
      ? undefined
      : openRevocation(gateway, { record, served, request, response, enter });
  let output: UniversalServerResponse | undefined;
  try {
    // HTTP/1.0 and HTTP/2 may lack it; Connect needs it.
    request.headers.host ??= "localhost";
    const handlers = await loadOrRefuse(gateway, load, request, response, record);
    if (handlers === undefined) return;
    const { byPath, node } = handlers;
    const universal = node.universalRequestFromNodeRequest(
      request,
      response,
      undefined,
      createContextValues().set(kRecord, record).set(kUpload, upload),
    );
    dropUnrequestedCompression(universal.header);
    const received = receive(universal.body as AsyncIterable<Uint8Array>, record, () =>
      AbortSignal.any([upload.signal, limit?.signal, cut.signal].filter((signal) => signal !== undefined)),
    );
    const maxBytes = maxMessageBytesOf(gateway.limits, served);
    const body = boundBody(received, request, served, { maxBytes, hold });
    const signal =
      revocation === undefined ? universal.signal : AbortSignal.any([universal.signal, revocation.signal]);
    output = await reportMalformedMessage(
      await byPath.get(`/${served.name}`)!({ ...universal, body, signal }),
      served.desc.input.typeName,
    );
    output = await refuseLarge(explainUnsupportedType(output, request, served), record, reading);
    if (request.httpVersionMajor === 1 && !request.complete) {
      // Connect would first wait for the rest of the request.
      output = { ...output, header: new Headers([...(output.header ?? []), ["connection", "close"]]) };
      endUnreadRequest(request);
    } else if ("stream" in request && output.status !== 200) endUnreadRequest(request);
    const written = node.universalResponseToNodeResponse(observeResponse(output, record, reading), response);
    // Connect waits for the end of a response, which a stream that was reset does not have.
    await Promise.race([written, closed]);
    // A failure of the handler or of writing is then a consequence.
    if (isClosed(request, response) && record.code !== Code.DeadlineExceeded) record.code = Code.Canceled;
  } catch (error) {
    if (response.headersSent || isClosed(request, response)) record.code = Code.Canceled;
    else {
      // Headers that cannot be sent.
      record.code = Code.Internal;
      gateway.reportFault(error, record);
    }
    response.destroy();
  } finally {
    hold.close();
    reading.close();
    leave?.();
    revocation?.close();
    record.code ??= codeOf(output);
    gateway.observer.finished(record);
  }
}

async function* receive(
  body: AsyncIterable<Uint8Array>,
  record: CallRecord,
  signal: () => AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of eachUntilAborted(body, signal(), abortError)) {
    record.bytesIn += chunk.byteLength;
    yield chunk;
  }
}

/**
 * gRPC clients list the encodings they accept in every call; only a compressed request asks for a compressed response.
 */
function dropUnrequestedCompression(header: Headers): void {
  if ((header.get("grpc-encoding") ?? "identity") === "identity") header.delete("grpc-accept-encoding");
}

/** Joins the body into whole messages and checks that none has too many values; JSON has bounds of its own. */
function boundBody(
  received: AsyncIterable<Uint8Array>,
  request: NodeRequest,
  { desc }: ServedMethod,
  { maxBytes, hold }: { readonly maxBytes: number; readonly hold: ByteShare },
): AsyncIterable<Uint8Array> {
  const { headers } = request;
  const isJson = (headers["content-type"] ?? "").includes("json");
  const framed = (encoding: string | string[] = "") => ({
    desc: desc.input,
    encoding: String(encoding).replace("identity", ""),
    maxBytes,
  });
  if (isEnveloped(request)) {
    const whole = joinMessages(received, maxBytes, hold, knownFlagsOf(headers["content-type"] ?? ""));
    const encoding = headers["grpc-encoding"] ?? headers["connect-content-encoding"];
    return isJson ? whole : checkFrames(whole, framed(encoding));
  }
  const whole = joinBody(received, maxBytes, hold);
  return isJson ? whole : checkBody(whole, framed(headers["content-encoding"]));
}

/** Returns whether messages have a prefix with their length. */
function isEnveloped({ headers }: NodeRequest): boolean {
  return /^application\/(?:grpc|connect\+)/.test(headers["content-type"] ?? "");
}

function protocolOf(request: NodeRequest): ProtocolName {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("application/grpc")) return "connect";
  return type.startsWith("application/grpc-web") ? "grpc-web" : "grpc";
}

/** A message and its response take some 0.1 ms, so other calls wait for about 3 ms. */
const messagesPerYield = 32;

/**
 * Lets other calls run between the messages of a stream. Messages that have arrived together, up to a window of tiny
 * ones, would otherwise be handled without a pause, because taking one that is there waits for nothing.
 */
export const yieldBetweenMessages: Interceptor = (next) => (request) =>
  next(request.stream ? { ...request, message: yielding(request.message) } : request);

async function* yielding<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  let taken = 0;
  for await (const message of messages) {
    if (++taken % messagesPerYield === 0) await setImmediate();
    yield message;
  }
}
