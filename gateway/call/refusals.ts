import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";

/** The domain of the gateway's own `ErrorInfo` reasons. */
export const gatewayDomain = "engage.gateway";

/** Why the gateway refuses a call, if the code alone is not enough; REST has an HTTP status for each. */
export type RefusalReason =
  | "CROSS_SITE"
  | "FOREIGN_HOST"
  | "MESSAGE_TOO_LARGE"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TOO_SLOW"
  | "RESPONSE_TOO_LARGE"
  | "SERVER_BUSY"
  | "UNSUPPORTED_CONTENT_ENCODING"
  | "UNSUPPORTED_MEDIA_TYPE";

/** Creates an error with its reason as `google.rpc.ErrorInfo`. */
export function refuse(reason: RefusalReason, code: Code, message: string): ConnectError {
  const value = { reason, domain: gatewayDomain };
  return new ConnectError(message, code, undefined, [{ desc: ErrorInfoSchema, value }]);
}

/** Creates the error for a malformed protobuf message. */
export function malformedMessage(typeName: string, error: unknown): ConnectError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConnectError(`${typeName} is malformed: ${reason}`, Code.InvalidArgument);
}

/** @param bytes the declared size, if any */
export function messageTooLarge(bytes: number | undefined, maxBytes: number): ConnectError {
  const found = bytes === undefined ? "the request message" : `the request message of ${bytes} bytes`;
  const message = `${found} is larger than the limit of ${maxBytes} bytes`;
  return refuse("MESSAGE_TOO_LARGE", Code.ResourceExhausted, message);
}

export function responseTooLarge(bytes: number, maxBytes: number): ConnectError {
  const fault = `the response of ${bytes} bytes is larger than the ${maxBytes} bytes that one connection may leave unread`;
  const message = `${fault}: ask for less in one call, or raise limits.openBytesPerConnection`;
  return refuse("RESPONSE_TOO_LARGE", Code.ResourceExhausted, message);
}

/** Returns whether an error has this reason. */
export function hasReason({ details }: ConnectError, reason: RefusalReason): boolean {
  return details.some(
    (detail) =>
      "desc" in detail &&
      detail.desc.typeName === ErrorInfoSchema.typeName &&
      (detail.value as { reason?: string }).reason === reason,
  );
}

export function tooManyOpenBytes(): ConnectError {
  return busy(
    "too many bytes of incomplete requests from this address, try again when some of them have completed",
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
  const message = `the request did not arrive in time, or at less than ${minBytesPerSecond} bytes a second`;
  return refuse("REQUEST_TOO_SLOW", Code.DeadlineExceeded, message);
}

export function responseStalled(): ConnectError {
  return new ConnectError("the caller does not read its response", Code.DeadlineExceeded);
}
