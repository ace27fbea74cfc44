import type { OutgoingHttpHeaders } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { kRequestAttachment, type RawBody, type RestCodecs } from "../../base/rpc/rest-codec.ts";
import type { Call } from "../call/call.ts";
import { compileUnary } from "../call/invoke.ts";
import type { Core } from "../core.ts";
import { compressAnswer } from "../http/compress.ts";
import type { NodeRequest, NodeResponse } from "../http/port.ts";
import { type HttpAnswer, serveUnaryHttp, type UnaryHttp } from "../http/unary.ts";
import { compileAdmit } from "./admit.ts";
import type { RestBinding } from "./bindings.ts";
import { compileRequest } from "./request.ts";
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
export function compileUnaryRoute(core: Core, binding: RestBinding, codecs: RestCodecs): ServeRoute {
  const { served } = binding;
  const read = compileRequest(binding, codecs, core);
  const { contentTypeOf, write } = compileResponse(binding, codecs);
  const invoke = compileUnary(served, core.interceptors);
  const admit = compileAdmit(binding);
  const { rawBody } = served.options;
  const encode = (output: Message, call: Call, request: NodeRequest): HttpAnswer | Promise<HttpAnswer> => {
    const headers: OutgoingHttpHeaders = {};
    call.assignResponseHeader(headers);
    headers["content-type"] = contentTypeOf(output);
    const body = write(output, call, 0);
    return compressAnswer({ status: 200, headers, body }, request, core.limits.compressMinBytes);
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
    const decode = (body: Buffer, call: Call, _request: NodeRequest, encoded?: Buffer): Message => {
      const { message, attachment } = read({
        body,
        contentType: request.headers["content-type"],
        segments,
        query,
      });
      const attached = rawBody ? ({ body, encoded } satisfies RawBody) : attachment;
      if (attached !== undefined) call.values.set(kRequestAttachment, attached);
      return message;
    };
    const input = { decode, admit: admit && ((call: Call) => admit(call, segments, query)) };
    serveUnaryHttp(core, method, input, request, response);
  };
}

/** A method whose caller streams, which a plain HTTP request can't carry: every call is UNIMPLEMENTED. */
export function compileRefusedRoute(core: Core, { served }: RestBinding): ServeRoute {
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
  return (request, response) => serveUnaryHttp(core, method, { decode: refuseCall }, request, response);
}
