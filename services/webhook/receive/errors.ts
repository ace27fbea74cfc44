import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import type { Refusal, RefusalKind } from "./refusal.ts";

const codes: Readonly<Record<Exclude<RefusalKind, "too_large">, Code>> = {
  unknown_channel: Code.NotFound,
  unauthenticated: Code.Unauthenticated,
  bad_body: Code.InvalidArgument,
  conflict: Code.AlreadyExists,
  unavailable: Code.Unavailable,
};

const domain = "engage.webhook";

/**
 * Converts a refusal to the error of the call: over REST 404, 401, 400, 409 and 503.
 * @param tooLarge creates the error for which the transport responds with 413
 */
export function toConnectError(refusal: Refusal, tooLarge: (message: string) => ConnectError): ConnectError {
  const { kind, message, retryAfterMs } = refusal;
  if (kind === "too_large") return tooLarge(message);
  const error = new ConnectError(
    message,
    codes[kind],
    undefined,
    [{ desc: ErrorInfoSchema, value: { reason: kind.toUpperCase(), domain } }],
    refusal,
  );
  if (retryAfterMs !== undefined) {
    error.details.push({ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryAfterMs) } });
  }
  return error;
}
