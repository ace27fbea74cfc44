import type { OutgoingHttpHeaders } from "node:http";
import { toBinary } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes, parseTimeout } from "@connectrpc/connect/protocol-connect";
import { JsonBoundsScan } from "../../base/json/bounds.ts";
import type { Call } from "../call/call.ts";
import { compileUnary } from "../call/invoke.ts";
import { hasReason, malformedMessage } from "../call/refusals.ts";
import { createJsonBodyReader, createJsonWriter } from "../codec/json.ts";
import { readMessage } from "../codec/wire.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { compressResponse, isBelow } from "../http/compress.ts";
import type { HttpResponse, NodeRequest, NodeResponse } from "../http/http.ts";
import type { PlainResponse } from "../http/http1/plain-response.ts";
import { serveUnaryHttp, type UnaryHttp, type UnaryInput } from "../http/unary.ts";
import { jsonBoundsOf } from "../limits.ts";
import type { ServedMethod } from "../methods.ts";

interface Serialize extends UnaryInput {
  readonly encode: UnaryHttp["encode"];
}

type LaneMethod = UnaryHttp & Serialize;

/**
 * The lane for unary calls of the Connect protocol, JSON and binary. Responds as
 * Connect's own handlers do; returns false for other requests.
 */
export function createConnectLane(
  gateway: GatewayContext,
): (request: NodeRequest, response: NodeResponse, path: string) => boolean {
  const methods = new Map<string, { readonly json: LaneMethod; readonly proto: LaneMethod }>();
  for (const served of gateway.services.flatMap((service) => service.methods)) {
    if (served.spec.kind !== "unary") continue;
    const common = {
      served,
      protocol: "connect",
      invoke: compileUnary(served, gateway.interceptors),
      timeoutMs: timeoutOf,
      encodeError,
    } as const;
    methods.set(`/${served.name}`, {
      json: { ...common, ...jsonOf(served, gateway) },
      proto: { ...common, ...binaryOf(served, gateway) },
    });
  }
  return (request, response, path) => {
    const method = request.method === "POST" ? methods.get(path) : undefined;
    const kind = method === undefined ? undefined : kindOf(request.headers["content-type"]);
    if (method === undefined || kind === undefined) return false;
    const lane = method[kind];
    serveUnaryHttp(gateway, lane, lane, request, response);
    return true;
  };
}

function kindOf(contentType: string | undefined): "json" | "proto" | undefined {
  if (contentType === "application/json") return "json";
  if (contentType === "application/proto") return "proto";
  if (contentType === undefined) return undefined;
  return /^application\/json(?:; ?charset=utf-8)?$/i.test(contentType) ? "json" : undefined;
}

function timeoutOf(request: NodeRequest): number | undefined {
  const header = request.headers["connect-timeout-ms"];
  if (typeof header !== "string") return undefined;
  const { timeoutMs, error } = parseTimeout(header, Number.MAX_SAFE_INTEGER);
  if (error !== undefined) throw error;
  return timeoutMs;
}

function jsonOf(served: ServedMethod, gateway: GatewayContext): Serialize {
  const { input, output } = served.desc;
  const bounds = jsonBoundsOf(gateway.limits, served);
  const read = createJsonBodyReader(input, bounds, gateway.unknownMembers);
  const write = createJsonWriter(output);
  return {
    openScan: () => new JsonBoundsScan(bounds),
    decode: ({ body, scanned }) => read(body, scanned).message,
    encode: (message, call, request) => succeed(gateway, call, request, "application/json", write(message)),
  };
}

function binaryOf(served: ServedMethod, gateway: GatewayContext): Serialize {
  const { input, output } = served.desc;
  return {
    decode: ({ body }) => {
      try {
        return readMessage(input, body);
      } catch (error) {
        throw malformedMessage(input.typeName, error);
      }
    },
    encode: (message, call, request) =>
      succeed(gateway, call, request, "application/proto", toBinary(output, message)),
  };
}

function succeed(
  gateway: GatewayContext,
  call: Call,
  request: NodeRequest,
  contentType: string,
  body: string | Uint8Array,
): HttpResponse | PlainResponse | Promise<HttpResponse> {
  const { compressMinBytes } = gateway.limits;
  if (!call.hasResponseHeader && !call.hasResponseTrailer && isBelow(body, compressMinBytes))
    return { contentType, body };
  const headers: OutgoingHttpHeaders = { "content-type": contentType };
  call.assignResponseHeader(headers);
  assignTrailers(call, headers);
  return compressResponse({ status: 200, headers, body }, request, compressMinBytes);
}

function encodeError(error: ConnectError, call: Call): HttpResponse {
  const headers: OutgoingHttpHeaders = {};
  call.assignResponseHeader(headers);
  assignTrailers(call, headers);
  for (const [name, value] of error.metadata) headers[name] = value;
  headers["content-type"] = "application/json";
  const status = hasReason(error, "REQUEST_TOO_SLOW") ? 408 : codeToHttpStatus(error.code);
  return { status, headers, body: errorToJsonBytes(error, undefined) };
}

/** Adds the trailers of a unary call, which Connect sends as headers with a prefix. */
function assignTrailers(call: Call, headers: OutgoingHttpHeaders): void {
  if (!call.hasResponseTrailer) return;
  const record: Record<string, unknown> = {};
  call.assignResponseTrailer(record);
  for (const name in record) headers[`trailer-${name}`] = record[name] as string;
}
