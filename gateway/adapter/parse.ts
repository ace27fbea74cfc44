import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, codeToString } from "@connectrpc/connect/protocol-connect";
import { mapErrors } from "../call/failures.ts";

/** How the library begins what it says of a message that is no protobuf. It calls that an internal error. */
const parsePrefix = "parse binary: ";

/** Makes malformed protobuf in a stream of requests the fault of the caller. */
export const blameCaller: Interceptor = (next) => (request) =>
  next(request.stream ? { ...request, message: mapErrors(request.message, toCallerFault) } : request);

function toCallerFault(error: unknown): unknown {
  const isParse =
    error instanceof ConnectError && error.code === Code.Internal && error.rawMessage.startsWith(parsePrefix);
  return isParse ? new ConnectError(error.rawMessage, Code.InvalidArgument) : error;
}

/**
 * The same for a single message, which is read before any interceptor runs: the
 * answer itself has to be changed, whose error is a body in Connect, a frame in
 * gRPC-Web and trailers in gRPC.
 */
export async function blameCallerIn(answer: UniversalServerResponse): Promise<UniversalServerResponse> {
  const { body, trailer, status } = answer;
  if (body === undefined) return answer;
  if (status === codeToHttpStatus(Code.Internal)) return mendBody(answer, body);
  return { ...answer, body: mendTrailers(body, trailer) };
}

async function mendBody(
  answer: UniversalServerResponse,
  body: AsyncIterable<Uint8Array>,
): Promise<UniversalServerResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (!text.includes(`"message":"${parsePrefix}`)) return { ...answer, body: only(Buffer.from(text)) };
  const code = codeToString(Code.InvalidArgument);
  const mended = Buffer.from(JSON.stringify({ ...(JSON.parse(text) as object), code }));
  const header = new Headers(answer.header);
  header.set("content-length", String(mended.length));
  return { ...answer, status: codeToHttpStatus(Code.InvalidArgument), header, body: only(mended) };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const internal = String(Code.Internal);
const invalid = String(Code.InvalidArgument);

async function* mendTrailers(
  body: AsyncIterable<Uint8Array>,
  trailer: Headers | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield chunk[0] === trailerFlag ? mendFrame(chunk) : chunk;
  if (trailer?.get("grpc-status") !== internal) return;
  const message = decodeURIComponent(trailer.get("grpc-message") ?? "");
  if (message.startsWith(parsePrefix)) trailer.set("grpc-status", invalid);
}

/** Of the frame of gRPC-Web that has the trailers in its text. */
const trailerFlag = 0x80;
const prefixBytes = 5;

function mendFrame(frame: Uint8Array): Uint8Array {
  const text = Buffer.from(frame.subarray(prefixBytes)).toString("latin1");
  const status = `grpc-status: ${internal}\r\n`;
  const isParse = text.includes(`grpc-message: ${encodeURIComponent(parsePrefix)}`);
  if (!isParse || !text.includes(status)) return frame;
  const mended = Buffer.from(`\x80\0\0\0\0${text.replace(status, `grpc-status: ${invalid}\r\n`)}`, "latin1");
  mended.writeUInt32BE(mended.length - prefixBytes, 1);
  return mended;
}
