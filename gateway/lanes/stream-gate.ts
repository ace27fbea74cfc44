import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Code, ConnectError } from "@connectrpc/connect";
import { loadHttp2 } from "../../base/net/late-modules.ts";
import { toSafeError } from "../call/failures.ts";
import { NodeHeaders } from "../call/headers.ts";
import { CallRecord } from "../call/record.ts";
import { tooManyStreams } from "../call/refusals.ts";
import { assignGrpcStatus } from "../call/status.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { type Address, connectionOf } from "../http/connections.ts";
import { FairWorkQueue } from "../http/fair-work-queue.ts";
import { peerOf } from "../http/http.ts";
import type { OnStream } from "../http/http2/http2-server.ts";
import { type ReachedLimit, refuseStream, startFairly } from "../http/open-calls.ts";
import type { ServedMethod } from "../methods.ts";
import { createSubscriptionLane, isPlainGrpc, type ServeSubscription } from "./subscription.ts";

/** Streaming calls that begin in one iteration of the event loop; each takes 0.1 ms. */
const callsPerIteration = 16;
/** Those of them for Connect's handlers, which take up to 0.5 ms. */
const connectCallsPerIteration = 4;

/**
 * Refuses streaming calls of gRPC and gRPC-Web by their headers: unauthorized calls and calls beyond the limits on
 * open streams. Connect's handlers do the same at ten times the cost, and a refused caller may try again at once.
 * Other calls without a key are passed on a few at a time.
 */
export function createStreamGate(gateway: GatewayContext): OnStream {
  const begun = new FairWorkQueue<Address>(callsPerIteration);
  const waiting = new FairWorkQueue<Address>(connectCallsPerIteration);
  const methods = new Map<string, ServedMethod>();
  const subscriptions = new Map<ServedMethod, ServeSubscription>();
  for (const served of gateway.services.flatMap((service) => service.methods)) {
    if (served.spec.kind === "unary") continue;
    methods.set(`/${served.name}`, served);
    const serve = createSubscriptionLane(gateway, served);
    if (serve !== undefined) subscriptions.set(served, serve);
  }
  const begin = (served: ServedMethod, ...[stream, headers, pass]: Parameters<OnStream>): void => {
    const type = headers["content-type"] as string;
    const protocol = type.startsWith("application/grpc-web") ? "grpc-web" : "grpc";
    const record = new CallRecord(served.desc, protocol, peerOf(stream.session as never), headers);
    const refusal = refusalOf(gateway, served, record, stream, headers);
    if (refusal === undefined) {
      const serve = isPlainGrpc(headers) ? subscriptions.get(served) : undefined;
      if (serve !== undefined) serve(stream, headers, record);
      else if (record.caller.kind !== "anonymous") pass();
      else startFairly(waiting, stream, pass);
      return;
    }
    gateway.observer.started(record);
    record.code = refusal.code;
    const head = { ":status": 200, "content-type": type, "x-request-id": record.requestId };
    respond(stream, Object.assign(head, refusal.head));
    gateway.observer.finished(record);
  };
  return (stream, headers, pass) => {
    const served = methods.get(headers[":path"] as string);
    const type = headers["content-type"] ?? "";
    if (served === undefined || headers[":method"] !== "POST" || !type.startsWith("application/grpc"))
      return false;
    startFairly(begun, stream, () => begin(served, stream, headers, pass));
    return true;
  };
}

/** The code and the head of the response to a refused call. */
interface Refusal {
  readonly code: Code;
  readonly head: OutgoingHttpHeaders;
}

/** Refusals for the limits on streams, made once: to make the error takes as long as the rest of a refused call. */
const ofLimits = new Map<string, Refusal>();

function refusalOfLimit({ max, of }: ReachedLimit): Refusal {
  const key = `${max} ${of}`;
  const known = ofLimits.get(key) ?? toRefusal(tooManyStreams(max, of));
  ofLimits.set(key, known);
  return known;
}

function toRefusal(error: ConnectError): Refusal {
  const head: OutgoingHttpHeaders = {};
  for (const [name, value] of error.metadata) head[name] = value;
  assignGrpcStatus(head, error);
  return { code: error.code, head };
}

function refusalOf(
  gateway: GatewayContext,
  served: ServedMethod,
  record: CallRecord,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): Refusal | undefined {
  try {
    gateway.authorize(record, served, new NodeHeaders(headers));
  } catch (error) {
    return toRefusal(toSafeError(error, record, gateway.reportFault));
  }
  if (record.caller.kind !== "anonymous") return undefined;
  const limit = refuseStream(connectionOf(stream.session), gateway.limits);
  return limit && refusalOfLimit(limit);
}

/** Sends a response that is all in its head, and resets the stream once the head is sent. */
function respond(stream: ServerHttp2Stream, head: OutgoingHttpHeaders): void {
  stream.on("error", ignore);
  stream.respond(head, withoutBody);
  stream.resume();
  if (!stream.endAfterHeaders) setImmediate(close, stream);
}

function close(stream: ServerHttp2Stream): void {
  if (!stream.closed) stream.close(loadHttp2().constants.NGHTTP2_NO_ERROR);
}

/** gRPC does not use the date; the types lack the option to leave it out. */
const withoutBody: object = { endStream: true, sendDate: false };

function ignore(): void {}
