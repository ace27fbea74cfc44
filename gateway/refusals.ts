import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";

/** The domain of the `ErrorInfo` reasons that the gateway itself gives. */
export const gatewayDomain = "engage.gateway";

/** Why the gateway refuses a call, where the code alone does not tell; REST has an HTTP status for each. */
export type RefusalReason =
  | "CROSS_SITE"
  | "FOREIGN_HOST"
  | "MESSAGE_TOO_LARGE"
  | "METHOD_NOT_ALLOWED"
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
