import type { OutgoingHttpHeaders } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { kRequestAttachment, type RawBody, type RestCodecs } from "../../base/rpc/rest-codec.ts";
import type { Call } from "../call/call.ts";
import { compileUnary } from "../call/invoke.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { compressResponse, isBelow } from "../http/compress.ts";
import type { HttpResponse, NodeRequest, NodeResponse } from "../http/http.ts";
import type { PlainResponse } from "../http/http1/plain-response.ts";
import { type ReceivedBody, serveUnaryHttp, type UnaryHttp } from "../http/unary.ts";
import type { RestBinding } from "./bindings.ts";
import { compileAdmit, compileRequest } from "./request.ts";
import { compileResponse } from "./response.ts";
import { encodeError } from "./status.ts";

/** Answers one request. `segments` are those of its path, `query` is what follows the question mark. */
export type ServeRoute = (
  request: NodeRequest,
  response: NodeResponse,
  segments: readonly string[],
  query: string,
) => void;

/** A unary method over REST. */
export function compileUnaryRoute(
  gateway: GatewayContext,
  binding: RestBinding,
  codecs: RestCodecs,
): ServeRoute {
  const { served } = binding;
  const { read, openScan } = compileRequest(binding, codecs, gateway);
  const { contentTypeOf, write } = compileResponse(binding, codecs);
  const invoke = compileUnary(served, gateway.interceptors);
  const admit = compileAdmit(binding);
  const { rawBody } = served.options;
  const encode = (
    output: Message,
    call: Call,
    request: NodeRequest,
  ): HttpResponse | PlainResponse | Promise<HttpResponse> => {
    const { compressMinBytes } = gateway.limits;
    const contentType = contentTypeOf(output);
    const body = write(output, call, 0);
    if (!call.hasResponseHeader && isBelow(body, compressMinBytes)) return { contentType, body };
    const headers: OutgoingHttpHeaders = {};
    call.assignResponseHeader(headers);
    headers["content-type"] = contentType;
    return compressResponse({ status: 200, headers, body }, request, compressMinBytes);
  };
  const method: UnaryHttp = {
    served,
    protocol: "rest",
    invoke,
    timeoutMs: () => undefined,
    encode,
    encodeError: (error) => encodeError(error, served),
  };
  return (request, response, segments, query) => {
    const decode = ({ body, encoded, scanned }: ReceivedBody, call: Call): Message => {
      const { message, attachment } = read({
        body,
        scanned,
        contentType: request.headers["content-type"],
        segments,
        query,
      });
      const attached = rawBody ? ({ body, encoded } satisfies RawBody) : attachment;
      if (attached !== undefined) call.values.set(kRequestAttachment, attached);
      return message;
    };
    const input = { decode, openScan, admit: admit && ((call: Call) => admit(call, segments, query)) };
    serveUnaryHttp(gateway, method, input, request, response);
  };
}

/** A method whose caller streams, which a plain HTTP request can't carry: every call is UNIMPLEMENTED. */
export function compileRefusedRoute(gateway: GatewayContext, { served }: RestBinding): ServeRoute {
  const message = `${served.name} takes a stream of requests, which is not served over REST, use gRPC or Connect`;
  const refuseCall = (): never => {
    throw new ConnectError(message, Code.Unimplemented);
  };
  const method: UnaryHttp = {
    served,
    protocol: "rest",
    // Asked first of all, so nothing of the body is read.
    timeoutMs: refuseCall,
    invoke: refuseCall,
    encode: refuseCall,
    encodeError: (error) => encodeError(error, served),
  };
  return (request, response) => serveUnaryHttp(gateway, method, { decode: refuseCall }, request, response);
}
