import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, codeToString } from "@connectrpc/connect/protocol-connect";
import { quoteText } from "../../base/text/quote.ts";
import { mapErrors } from "../call/failures.ts";
import { malformedMessage, refuse } from "../call/refusals.ts";
import type { NodeRequest } from "../http/http.ts";
import type { ServedMethod } from "../methods.ts";
import { encodeError } from "../rest/status.ts";

/** The beginning of the library's message for malformed protobuf, which it reports as an internal error. */
const parsePrefix = "parse binary: ";

/** Reports malformed protobuf in a stream of requests as INVALID_ARGUMENT. */
export const reportMalformedMessages: Interceptor = (next) => (request) => {
  if (!request.stream) return next(request);
  const { typeName } = request.method.input;
  const toCallerFault = (error: unknown): unknown => {
    const isParse =
      error instanceof ConnectError &&
      error.code === Code.Internal &&
      error.rawMessage.startsWith(parsePrefix);
    return isParse ? malformedMessage(typeName, error.rawMessage.slice(parsePrefix.length)) : error;
  };
  return next({ ...request, message: mapErrors(request.message, toCallerFault) });
};

/** Returns the message in the words of the lanes. */
function rephrase(message: string, typeName: string): string {
  return malformedMessage(typeName, message.slice(parsePrefix.length)).rawMessage;
}

/**
 * Does the same for a single message, which is read before any interceptor runs:
 * the response itself is changed, whose error is a body in Connect, a frame in
 * gRPC-Web and trailers in gRPC.
 * @param typeName of the message
 */
export async function reportMalformedMessage(
  response: UniversalServerResponse,
  typeName: string,
): Promise<UniversalServerResponse> {
  const { body, trailer, status } = response;
  if (body === undefined) return response;
  if (status === codeToHttpStatus(Code.Internal)) return rewriteBody(response, body, typeName);
  return { ...response, body: rewriteTrailers(body, trailer, typeName) };
}

async function rewriteBody(
  response: UniversalServerResponse,
  body: AsyncIterable<Uint8Array>,
  typeName: string,
): Promise<UniversalServerResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (!text.includes(`"message":"${parsePrefix}`))
    return { ...response, body: createAsyncIterable([Buffer.from(text)]) };
  const code = codeToString(Code.InvalidArgument);
  const error = JSON.parse(text) as { readonly message: string };
  const message = rephrase(error.message, typeName);
  const rewritten = Buffer.from(JSON.stringify({ ...error, code, message }));
  const header = new Headers(response.header);
  header.set("content-length", String(rewritten.length));
  return {
    ...response,
    status: codeToHttpStatus(Code.InvalidArgument),
    header,
    body: createAsyncIterable([rewritten]),
  };
}

const internal = String(Code.Internal);
const invalid = String(Code.InvalidArgument);

async function* rewriteTrailers(
  body: AsyncIterable<Uint8Array>,
  trailer: Headers | undefined,
  typeName: string,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield chunk[0] === trailerFlag ? rewriteFrame(chunk, typeName) : chunk;
  if (trailer?.get("grpc-status") !== internal) return;
  const message = decodeURIComponent(trailer.get("grpc-message") ?? "");
  if (!message.startsWith(parsePrefix)) return;
  trailer.set("grpc-status", invalid);
  trailer.set("grpc-message", encodeURIComponent(rephrase(message, typeName)));
}

/** Flag of the frame of gRPC-Web whose text is the trailers. */
const trailerFlag = 0x80;
const prefixBytes = 5;

function rewriteFrame(frame: Uint8Array, typeName: string): Uint8Array {
  const text = Buffer.from(frame.subarray(prefixBytes)).toString("latin1");
  const status = `grpc-status: ${internal}\r\n`;
  const [line, encoded = ""] = /grpc-message: ([^\r\n]*)/.exec(text) ?? [];
  const message = decodeURIComponent(encoded);
  if (line === undefined || !message.startsWith(parsePrefix) || !text.includes(status)) return frame;
  const newText = text
    .replace(status, () => `grpc-status: ${invalid}\r\n`)
    .replace(line, () => `grpc-message: ${encodeURIComponent(rephrase(message, typeName))}`);
  const rewritten = Buffer.from(`\x80\0\0\0\0${newText}`, "latin1");
  rewritten.writeUInt32BE(rewritten.length - prefixBytes, 1);
  return rewritten;
}

/** Adds the valid content types to a response 415, which the library sends without a body. */
export function explainUnsupportedType(
  response: UniversalServerResponse,
  { headers }: NodeRequest,
  { spec }: ServedMethod,
): UniversalServerResponse {
  if (response.status !== 415 || response.body !== undefined) return response;
  const given = headers["content-type"];
  const fault =
    given === undefined ? "the content-type is missing" : `content-type ${quoteText(given)} is not supported`;
  const valid = spec.kind === "unary" ? unaryTypes : streamTypes;
  const error = refuse("UNSUPPORTED_MEDIA_TYPE", Code.InvalidArgument, `${fault}, valid are ${valid}`);
  const { body } = encodeError(error);
  const bytes = Buffer.from(body);
  const header = new Headers(response.header);
  header.set("content-type", "application/json");
  header.set("content-length", String(bytes.length));
  return { ...response, header, body: createAsyncIterable([bytes]) };
}

const grpcTypes = "those of gRPC and gRPC-Web";
const unaryTypes = `application/json, application/proto and ${grpcTypes}`;
const streamTypes = `application/connect+json, application/connect+proto and ${grpcTypes}`;
