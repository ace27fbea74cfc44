import { create, toBinary } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Violation } from "../../../base/rpc/violation.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.ts";
import { EventsUnavailableError, TooManyQueriesError } from "../../../store/events/events.ts";
import { AnalysisRefusal, type RefusalStatus, refuseUnavailable, returnCodes } from "./refusal.ts";

const kinds: Readonly<Record<number, RefusalStatus>> = {
  [returnCodes.internal]: { code: Code.Internal, reason: "INTERNAL" },
  [returnCodes.parameter]: { code: Code.InvalidArgument, reason: "PARAMETER_INVALID" },
  [returnCodes.token]: { code: Code.PermissionDenied, reason: "TOKEN_REFUSED" },
  [returnCodes.timeout]: { code: Code.DeadlineExceeded, reason: "QUERY_TIMED_OUT" },
  [returnCodes.busy]: { code: Code.ResourceExhausted, reason: "TOO_MANY_QUERIES" },
  [returnCodes.unavailable]: { code: Code.Unavailable, reason: "ENGINE_UNAVAILABLE" },
  [returnCodes.noToken]: { code: Code.Unauthenticated, reason: "TOKEN_MISSING" },
};
/** A code that only the upstream platform knows. */
const foreign: RefusalStatus = { code: Code.FailedPrecondition, reason: "PLATFORM_REFUSED" };

const unknownPath: RefusalStatus = { code: Code.NotFound, reason: "PATH_UNKNOWN" };

/**
 * Converts an error to the one that a caller gets. An error that is not one of the service's own is returned unchanged,
 * as a fault.
 */
export function toCallError(error: unknown): unknown {
  const refusal = refusalOf(error);
  return refusal === undefined ? error : encodeRefusal(refusal);
}

/** Undefined for a fault. */
export function refusalOf(error: unknown): AnalysisRefusal | undefined {
  if (error instanceof AnalysisRefusal) return error;
  if (error instanceof TooManyQueriesError) {
    return new AnalysisRefusal(returnCodes.busy, "too many queries at once", {
      retryAfterMs: 1_000,
      cause: error,
    });
  }
  if (error instanceof EventsUnavailableError) {
    return refuseUnavailable(error, "the events are temporarily unavailable");
  }
  return undefined;
}

function encodeRefusal(refusal: AnalysisRefusal): ConnectError {
  const { returnCode, message, violations, httpStatus, status, retryAfterMs, cause } = refusal;
  const { code, reason } = status ?? (httpStatus === 404 ? unknownPath : (kinds[returnCode] ?? foreign));
  const metadata = {
    return_code: String(returnCode),
    ...(httpStatus !== 200 && { http_status: String(httpStatus) }),
  };
  const info = { desc: ErrorInfoSchema, value: { reason, domain: "engage.analysis", metadata } };
  const fieldViolations = cutToFit(violations).map((violation) => ({ ...violation, reason }));
  const error = new ConnectError(message, code, undefined, [
    info,
    ...(retryAfterMs === undefined
      ? []
      : [{ desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryAfterMs) } }]),
    ...(fieldViolations.length === 0 ? [] : [{ desc: BadRequestSchema, value: { fieldViolations } }]),
  ]);
  error.cause = cause;
  return error;
}

/** gRPC carries them in headers, and the gateway leaves out a detail that is too large as a whole. */
const maxViolationBytes = 1_700;

function cutToFit(violations: readonly Violation[]): readonly Violation[] {
  let room = maxViolationBytes;
  return violations.filter(({ field, description }) => {
    const value = { fieldViolations: [{ field, description }] };
    room -= toBinary(BadRequestSchema, create(BadRequestSchema, value)).length + 24;
    return room >= 0;
  });
}
