import { toJsonString } from "@bufbuild/protobuf";
import {
  Code,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { eachUntilAborted } from "../../base/async/abort.ts";
import { abortError, enforceDeadline, startDeadline } from "../call/deadline.ts";
import { concealFaults } from "../call/failures.ts";
import { CallRecord, kRecord, type ProtocolName, recordOf } from "../call/record.ts";
import { yieldBetweenMessages } from "../call/yield.ts";
import { createJsonBodyReader, hasLongs } from "../codec/json-body.ts";
import type { Core } from "../core.ts";
import { type Connection, connectionOf } from "../http/connections.ts";
import { stopRequest } from "../http/early-answer.ts";
import type { Hold } from "../http/open-bytes.ts";
import { enterStream } from "../http/open-streams.ts";
import { connectionOfRequest, type NodeRequest, type NodeResponse, peerOf } from "../http/port.ts";
import { jsonBoundsOf, maxMessageBytesOf } from "../limits.ts";
import { httpMethodsOf, type ServedMethod } from "../methods.ts";
import { refuseMethod } from "../rest/refuse-method.ts";
import { breakOff } from "../rest/send.ts";
import { boundedBody, boundedFrames } from "./bounded-frames.ts";
import { explainUnsupported } from "./media.ts";
import { codeOf, noteOutcome, watchAnswer } from "./outcome.ts";
import { blameCaller, blameCallerIn } from "./parse.ts";
import { wholeBody, wholeMessages } from "./whole-messages.ts";

interface Route {
  readonly served: ServedMethod;
  readonly handler: UniversalHandler;
}

/**
 * Connect's own handlers for gRPC, gRPC-Web and Connect: streams, compression
 * and all that the fast lanes leave. Returns false for a path that is no RPC.
 */
export function createAdapter(
  core: Core,
): (request: NodeRequest, response: NodeResponse, path: string) => boolean {
  const routes = createRoutes(core);
  return (request, response, path) => {
    const route = routes.get(path);
    if (route === undefined) return false;
    const methods = httpMethodsOf(route.served);
    if (!methods.includes(request.method ?? "")) refuseMethod(request, response, { path, methods });
    else void handle(core, route, request, response);
    return true;
  };
}

function createRoutes(core: Core): ReadonlyMap<string, Route> {
  const served = new Map<string, ServedMethod>();
  const router = createConnectRouter({
    acceptCompression: [compressionGzip, compressionBrotli],
    compressMinBytes: core.limits.compressMinBytes,
    shutdownSignal: core.shutdownSignal,
    requestGate: createGate(core, served),
    interceptors: [
      noteOutcome,
      blameCaller,
      enforceDeadline(core.limits.maxDeadlineMs),
      concealFaults(core.reportFault),
      yieldBetweenMessages,
      ...core.interceptors,
    ],
  });
  for (const method of core.services.flatMap((service) => service.methods)) {
    served.set(`/${method.name}`, method);
    router.rpc(method.desc, method.spec.impl as never, {
      readMaxBytes: maxMessageBytesOf(core.limits, method),
      // A part of these options that the types of the router leave out.
      jsonOptions: { textDecoder: checkingDecoder(core, method) } as object,
    });
  }
  return new Map(
    router.handlers.map((handler) => [
      handler.requestPath,
      { handler, served: served.get(handler.requestPath) as ServedMethod },
    ]),
  );
}

/**
 * Every JSON message passes through its decoder, whatever frame or compression
 * it came in. It is read here as the lane reads it, and the library gets a text
 * that it can't take for another message.
 */
function checkingDecoder(core: Core, method: ServedMethod): { decode(bytes: Uint8Array): string } {
  const { input } = method.desc;
  const read = createJsonBodyReader(input, jsonBoundsOf(core.limits, method), core.unknownMembers);
  const isExact = !hasLongs(input);
  return {
    decode(bytes) {
      const { message, text } = read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return isExact ? text : toJsonString(input, message);
    },
  };
}

/** What is known of a call once its headers are read. */
interface Upload {
  /** Connect waits for a body without looking at it. */
  signal?: AbortSignal;
  readonly connection: Connection;
  /** Gives back the place of a streaming call of a caller without a key. */
  leave?: () => void;
}

const kUpload = createContextKey<Upload>({ connection: connectionOf(undefined) }, { description: "upload" });

/** Runs when the headers are here and the body is not. */
function createGate(
  core: Core,
  served: ReadonlyMap<string, ServedMethod>,
): (context: HandlerContext) => void {
  return (context) => {
    const record = recordOf(context.values);
    const upload = context.values.get(kUpload);
    upload.signal = context.signal;
    context.responseHeader.set("x-request-id", record.requestId);
    const method = served.get(`/${context.service.typeName}/${context.method.name}`) as ServedMethod;
    core.authorize(record, method, context.requestHeader);
    if (method.spec.kind !== "unary" && record.caller.kind === "anonymous")
      upload.leave = enterStream(upload.connection, core.limits);
  };
}

async function handle(core: Core, route: Route, request: NodeRequest, response: NodeResponse): Promise<void> {
  const { served, handler } = route;
  const record = new CallRecord(served.desc, protocolOf(request), peerOf(request.socket), request.headers);
  core.observer.started(record);
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  // Only calls that take one message have a limit of their own: streams may be open for ever.
  using limit = served.spec.kind === "unary" ? startDeadline(core.limits.maxDeadlineMs) : undefined;
  const cut = new AbortController();
  const connection = connectionOfRequest(request);
  const hold = core.openBytes.openBody(connection, { cut: (reason) => cut.abort(reason) });
  // A client that streams may wait between messages.
  if (served.desc.methodKind === "client_streaming" || served.desc.methodKind === "bidi_streaming")
    hold.settle();
  const reading = core.openBytes.openReading(connection, { cut: () => breakOff(request, response) });
  const upload: Upload = { connection };
  let answer: UniversalServerResponse | undefined;
  try {
    // HTTP/1.0 and HTTP/2 can do without; Connect cannot.
    request.headers.host ??= "localhost";
    const universal = universalRequestFromNodeRequest(
      request,
      response,
      undefined,
      createContextValues().set(kRecord, record).set(kUpload, upload),
    );
    dropUnaskedCompression(universal.header);
    const received = receive(universal.body as AsyncIterable<Uint8Array>, record, () =>
      AbortSignal.any([upload.signal, limit?.signal, cut.signal].filter((signal) => signal !== undefined)),
    );
    const body = boundBody(received, request, served, {
      maxBytes: maxMessageBytesOf(core.limits, served),
      hold,
    });
    answer = await blameCallerIn(await handler({ ...universal, body }), served.desc.input.typeName);
    answer = explainUnsupported(answer, request, served);
    if (request.httpVersionMajor === 1 && !request.complete) {
      // Connect would first wait for the rest of the request.
      answer = { ...answer, header: new Headers([...(answer.header ?? []), ["connection", "close"]]) };
      stopRequest(request);
    } else if ("stream" in request && answer.status !== 200) stopRequest(request);
    const written = universalResponseToNodeResponse(watchAnswer(answer, record, reading), response);
    // Connect waits for the end of an answer, which a stream that was reset does not have.
    await Promise.race([written, closed]);
    // Whatever failed then, in a handler or in writing, failed because of it.
    if (isGone(request, response) && record.code !== Code.DeadlineExceeded) record.code = Code.Canceled;
  } catch (error) {
    if (response.headersSent || isGone(request, response)) record.code = Code.Canceled;
    else {
      // Headers that cannot be sent.
      record.code = Code.Internal;
      core.reportFault(error, record);
    }
    response.destroy();
  } finally {
    hold.close();
    reading.close();
    upload.leave?.();
    record.code ??= codeOf(answer);
    core.observer.finished(record);
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

/** gRPC clients name what they could read in every call; only a compressed request asks for a compressed answer. */
function dropUnaskedCompression(header: Headers): void {
  if ((header.get("grpc-encoding") ?? "identity") === "identity") header.delete("grpc-accept-encoding");
}

/** Whether the caller left before it had its answer. */
function isGone(request: NodeRequest, response: NodeResponse): boolean {
  return request.aborted || (response.destroyed && !response.writableEnded);
}

/** Whether messages have a prefix with their length. */
/** The body in whole messages, none of which holds more than may be read. JSON is bounded by its own reader. */
function boundBody(
  received: AsyncIterable<Uint8Array>,
  request: NodeRequest,
  { desc }: ServedMethod,
  { maxBytes, hold }: { readonly maxBytes: number; readonly hold: Hold },
): AsyncIterable<Uint8Array> {
  const { headers } = request;
  const isJson = (headers["content-type"] ?? "").includes("json");
  const framed = (encoding: string | string[] = "") => ({
    desc: desc.input,
    encoding: String(encoding).replace("identity", ""),
    maxBytes,
  });
  if (isEnveloped(request)) {
    const whole = wholeMessages(received, maxBytes, hold);
    const encoding = headers["grpc-encoding"] ?? headers["connect-content-encoding"];
    return isJson ? whole : boundedFrames(whole, framed(encoding));
  }
  const whole = wholeBody(received, maxBytes, hold);
  return isJson ? whole : boundedBody(whole, framed(headers["content-encoding"]));
}

function isEnveloped({ headers }: NodeRequest): boolean {
  return /^application\/(?:grpc|connect\+)/.test(headers["content-type"] ?? "");
}

function protocolOf(request: NodeRequest): ProtocolName {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("application/grpc")) return "connect";
  return type.startsWith("application/grpc-web") ? "grpc-web" : "grpc";
}
