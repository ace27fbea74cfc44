import { connect as connectNet, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";
import { loadOnce } from "../../../base/async/load-once.ts";
import { loadTls } from "../../../base/net/late-modules.ts";
import { type Outbound, serverName } from "../../../base/net/outbound.ts";
import { nameSender } from "../../../base/net/user-agent.ts";
import { compileMask, type Mask } from "../../../base/text/mask-secrets.ts";
import { describeError, oneLine } from "../../../base/text/system-error.ts";
import { httpPlaceOf } from "../../../base/trace/http-span.ts";
import { inRpcSpan, type RpcPlace } from "../../../base/trace/rpc-span.ts";
import { type HandleResponse, MessageHandler } from "../../../gen/engage/handler/v1/message_handler_pb.ts";
import { RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { toMessageBatch } from "../mapping/handed-message.ts";
import { durationMs } from "../mapping/timestamp.ts";
import { toOutcome } from "./message-result.ts";
import { downOutcome, type HandedBatch, type Target, type TargetOutcome } from "./target.ts";

export interface GrpcTargetOptions {
  /** `http://host:port` for h2c, `https://host:port` for TLS. */
  readonly url: string;
  /** Sent as `authorization: Bearer`. */
  readonly bearer: string | undefined;
  readonly tls: ConnectionOptions;
  /** Messages of one call. */
  readonly maxMessages: number;
  readonly maxAnswerBytes: number;
  readonly outbound: Outbound;
}

/** Errors of the messages themselves, which are not retried. */
const dead: ReadonlySet<Code> = new Set([Code.InvalidArgument, Code.Unimplemented]);

/** Creates a target that calls `engage.handler.v1.MessageHandler/Handle` over one kept HTTP/2 connection. */
export function createGrpcTarget(options: GrpcTargetOptions): Target {
  const { transport, close } = createConnection(options);
  const client = createClient(MessageHandler, transport);
  const headers: Record<string, string> =
    options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` };
  const mask = compileMask([options.bearer ?? ""]);
  const place = placeOf(options);
  return {
    maxMessages: options.maxMessages,
    async deliver(batch, signal) {
      try {
        const response = await inRpcSpan(batch.trace, place, (passed) =>
          client.handle({ batch: toMessageBatch(batch) }, { signal, headers: { ...passed, ...headers } }),
        );
        return outcomesOf(batch, response, mask);
      } catch (error) {
        const outcome = outcomeOfError(ConnectError.from(error), mask);
        return batch.elements.map(() => outcome);
      }
    },
    async [Symbol.asyncDispose]() {
      close();
    },
  };
}

function placeOf({ url }: GrpcTargetOptions): RpcPlace {
  const { address, port } = httpPlaceOf("POST", url);
  return { method: `${MessageHandler.typeName}/${MessageHandler.method.handle.name}`, address, port };
}

type ConnectionTo = Pick<GrpcTargetOptions, "url" | "tls" | "outbound" | "maxAnswerBytes">;

export interface GrpcConnection {
  readonly transport: Transport;
  readonly close: () => void;
}

/** Creates a connection, which is opened at the first call. */
export function createConnection(options: ConnectionTo): GrpcConnection {
  let sessions: Http2SessionManager | undefined;
  let isClosed = false;
  const open = loadOnce(async (): Promise<Transport> => {
    const { createGrpcTransport, Http2SessionManager } = await import("@connectrpc/connect-node");
    if (isClosed) throw new ConnectError("the connection is closed", Code.Canceled);
    const { origin } = new URL(options.url);
    const keepAlive = { pingIntervalMs: 30_000, pingTimeoutMs: 10_000, pingIdleConnection: false };
    sessions = new Http2SessionManager(origin, keepAlive, { createConnection: () => dial(options) });
    return createGrpcTransport({
      baseUrl: origin,
      sessionManager: sessions,
      interceptors: [nameSender],
      readMaxBytes: options.maxAnswerBytes,
    });
  });
  return {
    transport: {
      unary: async (...call) => (await open()).unary(...call),
      stream: async (...call) => (await open()).stream(...call),
    },
    close() {
      isClosed = true;
      sessions?.abort();
    },
  };
}

function dial({ url, tls, outbound }: ConnectionTo): Socket {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const place = outbound.connectOptions(host, Number(port) || (isTls ? 443 : 80));
  return isTls
    ? loadTls().connect({ ...serverName(host), ...tls, ...place, ALPNProtocols: ["h2"] })
    : connectNet(place);
}

/** Reads the results of the handler. A response with results for other messages is not valid. */
function outcomesOf(
  { elements }: HandedBatch,
  { results }: HandleResponse,
  mask: Mask,
): readonly TargetOutcome[] {
  const byIndex = new Map(results.map((result) => [result.index, result]));
  if (byIndex.size < results.length) return elements.map(() => invalidResponse("one index twice"));
  const known = new Set(elements.map(({ index }) => index + 1));
  const stray = results.find(({ index }) => !known.has(index));
  if (stray !== undefined)
    return elements.map(() => invalidResponse(`index ${stray.index}, which the batch does not have`));
  return elements.map(({ index }) => {
    const result = byIndex.get(index + 1);
    const outcome = result && toOutcome(result, mask);
    return outcome ?? { kind: "retry", reason: "the handler gave no result for the message" };
  });
}

function invalidResponse(what: string): TargetOutcome {
  return { kind: "retry", reason: `the handler's response has ${what}` };
}

function outcomeOfError(error: ConnectError, mask: Mask): TargetOutcome {
  const reason = oneLine(`gRPC ${Code[error.code]}: ${mask(messageOf(error))}`);
  if (dead.has(error.code)) return { kind: "dead", reason };
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return downOutcome(reason, delay && Math.max(0, durationMs(delay)));
}

/** Returns the message of the cause, which Connect omits. */
function messageOf({ rawMessage, cause }: ConnectError): string {
  return cause instanceof Error && cause.name !== "AbortError" ? describeError(cause) : rawMessage;
}
