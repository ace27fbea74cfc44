import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import { mapErrors } from "../call/failures.ts";
import { type CallRecord, recordOf } from "../call/record.ts";
import { encodeGrpcMessage } from "../call/status.ts";
import type { ByteShare } from "../http/open-bytes.ts";

/** Records the code of calls that reach the interceptors; others fail while their body is read. */
export const recordCode: Interceptor = (next) => async (request) => {
  const note = (error: unknown): unknown => {
    recordOf(request.contextValues).code ??= ConnectError.from(error).code;
    return error;
  };
  try {
    const response = await next(request);
    return response.stream ? { ...response, message: mapErrors(response.message, note) } : response;
  } catch (error) {
    throw note(error);
  }
};

/** Counts the bytes of a response, records its status and encodes its message as the lane does. */
export function observeResponse(
  response: UniversalServerResponse,
  record: CallRecord,
  reading: ByteShare,
): UniversalServerResponse {
  const { body, trailer } = response;
  return body === undefined ? response : { ...response, body: watch(body, trailer, record, reading) };
}

async function* watch(
  body: AsyncIterable<Uint8Array>,
  trailer: Headers | undefined,
  record: CallRecord,
  reading: ByteShare,
): AsyncGenerator<Uint8Array> {
  let last: Uint8Array | undefined;
  for await (const chunk of body) {
    record.bytesOut += chunk.byteLength;
    last = chunk;
    reading.take(chunk.byteLength);
    yield chunk;
    reading.settle();
  }
  if (record.protocol === "grpc-web") record.code ??= codeInTrailerFrame(last);
  const message = trailer?.get("grpc-message");
  if (message) trailer?.set("grpc-message", encodeGrpcMessage(decodeURIComponent(message)));
}

/** gRPC-Web has its trailers in the last frame of the body. */
function codeInTrailerFrame(frame: Uint8Array | undefined): Code | undefined {
  const status = /(?:^|\n)grpc-status: (\d+)/.exec(Buffer.from(frame?.subarray(5) ?? []).toString("latin1"));
  return Number(status?.[1] ?? 0) || undefined;
}

/** Codes of calls that fail before any interceptor runs, while the body of a unary call is read. */
const earlyCodes = [
  Code.Canceled,
  Code.InvalidArgument,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Unauthenticated,
  Code.PermissionDenied,
  Code.Internal,
] as const;

/** Returns the code of a response that no interceptor saw, from its head and trailers. */
export function codeOf(response: UniversalServerResponse | undefined): Code | undefined {
  if (response === undefined) return Code.Internal;
  const { status, trailer } = response;
  if (status === 200) return Number(trailer?.get("grpc-status") ?? 0) || undefined;
  return earlyCodes.find((code) => codeToHttpStatus(code) === status) ?? Code.Unimplemented;
}
