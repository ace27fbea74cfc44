import { Code } from "@connectrpc/connect";
import type { Violation } from "../../../base/rpc/violation.ts";

/** Return codes of the analysis interface; an upstream platform may return others. */
export const returnCodes = {
  internal: -1000,
  parameter: -1001,
  /** The token is unknown or has no access: thrown in `admission/`. */
  token: -1002,
  timeout: -1004,
  busy: -1005,
  unavailable: -1006,
  /** The call has no token: thrown in `admission/tokens.ts`. */
  noToken: -1008,
} as const;

/**
 * The return codes of errors that the gateway makes over REST, by status code:
 * those of requests that do not reach the service.
 */
export const returnCodesByStatus = {
  [Code.InvalidArgument]: returnCodes.parameter,
  [Code.OutOfRange]: returnCodes.parameter,
  [Code.FailedPrecondition]: returnCodes.parameter,
  [Code.NotFound]: returnCodes.parameter,
  [Code.PermissionDenied]: returnCodes.token,
  [Code.DeadlineExceeded]: returnCodes.timeout,
  [Code.ResourceExhausted]: returnCodes.busy,
  [Code.Unavailable]: returnCodes.unavailable,
  [Code.Unauthenticated]: returnCodes.noToken,
  [Code.Internal]: returnCodes.internal,
} as const;

/**
 * Refuses a query while the store is unavailable: as busy where a later attempt may succeed without anyone's action.
 */
export function refuseUnavailable(
  error: Error & { readonly retryAfterMs: number | undefined },
  message: string,
): AnalysisRefusal {
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined)
    return new AnalysisRefusal(returnCodes.unavailable, message, { cause: error });
  return new AnalysisRefusal(returnCodes.busy, message, { cause: error, retryAfterMs });
}

export interface RefusalStatus {
  readonly code: Code;
  /** In UPPER_SNAKE_CASE. */
  readonly reason: string;
}

interface RefusalOptions {
  readonly violations?: readonly Violation[];
  /** HTTP status over REST; default 200. */
  readonly httpStatus?: number;
  /** The status of the call, where the return code does not determine it. */
  readonly status?: RefusalStatus;
  /** Time after which a retry may succeed, where it is known. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Thrown when a query is refused; mapped to an envelope over REST and to a status otherwise. */
export class AnalysisRefusal extends Error {
  override readonly name = "AnalysisRefusal";
  /** Never 0. */
  readonly returnCode: number;
  readonly violations: readonly Violation[];
  readonly httpStatus: number;
  readonly status: RefusalStatus | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(returnCode: number, message: string, options: RefusalOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.returnCode = returnCode;
    this.violations = options.violations ?? [];
    this.httpStatus = options.httpStatus ?? 200;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}
