import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeFromHttpStatus } from "@connectrpc/connect/protocol-connect";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { Core } from "./core.ts";
import { enforceDeadline } from "./deadline.ts";
import { stopRequest } from "./early-answer.ts";
import { concealFaults, mapErrors } from "./failures.ts";
import { encodeGrpcMessage } from "./grpc-status.ts";
import { maxMessageBytesOf } from "./limits.ts";
import type { ServedMethod } from "./methods.ts";
import { type NodeRequest, type NodeResponse, peerOf } from "./port.ts";
import { CallRecord, kRecord, type ProtocolName, recordOf } from "./record.ts";

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
    void handle(core, route, request, response);
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
      enforceDeadline(core.limits.maxDeadlineMs),
      concealFaults(core.reportFault),
      ...core.interceptors,
    ],
  });
  for (const method of core.services.flatMap((service) => service.methods)) {
    served.set(`/${method.name}`, method);
    router.rpc(method.desc, method.spec.impl as never, {
      readMaxBytes: maxMessageBytesOf(core.limits, method),
    });
  }
  return new Map(
    router.handlers.map((handler) => [
      handler.requestPath,
      { handler, served: served.get(handler.requestPath) as ServedMethod },
    ]),
  );
}

/** Runs when the headers are here and the body is not. */
function createGate(
  core: Core,
  served: ReadonlyMap<string, ServedMethod>,
): (context: HandlerContext) => void {
  return (context) => {
    const record = recordOf(context.values);
    context.responseHeader.set("x-request-id", record.requestId);
    const method = served.get(`/${context.service.typeName}/${context.method.name}`) as ServedMethod;
    core.authorize(record, method, context.requestHeader);
  };
}

async function handle(core: Core, route: Route, request: NodeRequest, response: NodeResponse): Promise<void> {
  const { served, handler } = route;
  const record = new CallRecord(served.desc, protocolOf(request), peerOf(request.socket), request.headers);
  core.observer.started(record);
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  let answer: UniversalServerResponse | undefined;
  try {
    const universal = universalRequestFromNodeRequest(
      request,
      response,
      undefined,
      createContextValues().set(kRecord, record),
    );
    dropUnaskedCompression(universal.header);
    const body = counted(universal.body as AsyncIterable<Uint8Array>, (bytes) => {
      record.bytesIn += bytes;
    });
    answer = await handler({ ...universal, body });
    if (request.httpVersionMajor === 1 && !request.complete) {
      // Connect would first wait for the rest of the request.
      answer = { ...answer, header: new Headers([...(answer.header ?? []), ["connection", "close"]]) };
      stopRequest(request);
    }
    const written = universalResponseToNodeResponse(watched(answer, record), response);
    // Connect waits for the end of an answer, which a stream that was reset does not have.
    await Promise.race([written, closed]);
  } catch (error) {
    // The answer could not be written: the caller went away, or the stream broke.
    record.code ??= ConnectError.from(error, Code.Canceled).code;
    response.destroy();
  } finally {
    record.code ??= codeOf(answer);
    core.observer.finished(record);
  }
}

/** Notes the code of calls that reach the interceptors; others fail while their body is read. */
const noteOutcome: Interceptor = (next) => async (request) => {
  const note = (error: unknown): unknown => {
    recordOf(request.contextValues).code = ConnectError.from(error).code;
    return error;
  };
  try {
    const response = await next(request);
    return response.stream ? { ...response, message: mapErrors(response.message, note) } : response;
  } catch (error) {
    throw note(error);
  }
};

/** The same answer; its bytes are counted, and the message of its status is spelt as the lane spells it. */
function watched(answer: UniversalServerResponse, record: CallRecord): UniversalServerResponse {
  const { body, trailer } = answer;
  if (body === undefined) return answer;
  async function* watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* counted(chunks, (bytes) => {
      record.bytesOut += bytes;
    });
    const message = trailer?.get("grpc-message");
    if (message) trailer?.set("grpc-message", encodeGrpcMessage(decodeURIComponent(message)));
  }
  return { ...answer, body: watch(body) };
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.byteLength);
    yield chunk;
  }
}

/** gRPC clients name what they could read in every call; only a compressed request asks for a compressed answer. */
function dropUnaskedCompression(header: Headers): void {
  if ((header.get("grpc-encoding") ?? "identity") === "identity") header.delete("grpc-accept-encoding");
}

function protocolOf(request: NodeRequest): ProtocolName {
  const type = request.headers["content-type"] ?? "";
  if (!type.startsWith("application/grpc")) return "connect";
  return type.startsWith("application/grpc-web") ? "grpc-web" : "grpc";
}

/** The code of an answer that no interceptor saw, as far as its head tells. */
function codeOf(answer: UniversalServerResponse | undefined): Code | undefined {
  if (answer === undefined) return Code.Internal;
  if (answer.status !== 200) return codeFromHttpStatus(answer.status);
  const status = Number(answer.trailer?.get("grpc-status") ?? 0);
  return status === 0 ? undefined : status;
}
