import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";

/** The domain of the `ErrorInfo` reasons that the gateway itself gives. */
export const gatewayDomain = "engage.gateway";

/** Why the gateway refuses a call, where the code alone does not tell; REST has an HTTP status for each. */
export type RefusalReason =
  | "CROSS_SITE"
  | "FOREIGN_HOST"
  | "MESSAGE_TOO_LARGE"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TOO_SLOW"
  | "SERVER_BUSY"
  | "UNSUPPORTED_CONTENT_ENCODING"
  | "UNSUPPORTED_MEDIA_TYPE";

/** An error with its reason as `google.rpc.ErrorInfo`. */
export function refuse(reason: RefusalReason, code: Code, message: string): ConnectError {
  const value = { reason, domain: gatewayDomain };
  return new ConnectError(message, code, undefined, [{ desc: ErrorInfoSchema, value }]);
}

/** A message of protobuf that can't be read. */
export function malformedMessage(typeName: string, error: unknown): ConnectError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConnectError(`${typeName} is malformed: ${reason}`, Code.InvalidArgument);
}

/** @param bytes the size that was declared, where one was */
export function messageTooLarge(bytes: number | undefined, maxBytes: number): ConnectError {
  const found = bytes === undefined ? "the request message" : `the request message of ${bytes} bytes`;
  const message = `${found} is larger than the limit of ${maxBytes} bytes`;
  return refuse("MESSAGE_TOO_LARGE", Code.ResourceExhausted, message);
}

/** Whether the gateway itself gives this reason for an error. */
export function hasReason({ details }: ConnectError, reason: RefusalReason): boolean {
  return details.some(
    (detail) =>
      "desc" in detail &&
      detail.desc.typeName === ErrorInfoSchema.typeName &&
      (detail.value as { reason?: string }).reason === reason,
  );
}

/** Of a connection, an address or the server. */
export function tooManyOpenBytes(): ConnectError {
  return busy(
    "too many bytes of requests are on their way from this address, try again when some of them are done",
  );
}

export function tooManyStreams(max: number, of: "connection" | "address"): ConnectError {
  return busy(`there are ${max} open streams of this ${of} without a key, which is the limit`);
}

function busy(message: string): ConnectError {
  const error = refuse("SERVER_BUSY", Code.ResourceExhausted, message);
  error.details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: 1n } } });
  return error;
}

export function bodyTooSlow(minBytesPerSecond: number): ConnectError {
  const message = `the request did not come in time, or at less than ${minBytesPerSecond} bytes a second`;
  return refuse("REQUEST_TOO_SLOW", Code.DeadlineExceeded, message);
}

export function answerStalled(): ConnectError {
  return new ConnectError("the caller does not read its answer", Code.DeadlineExceeded);
}
