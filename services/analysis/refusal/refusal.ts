import { Code } from "@connectrpc/connect";

/** Return codes of the analysis interface; an upstream platform may answer further ones. */
export const returnCodes = {
  internal: -1000,
  parameter: -1001,
  token: -1002,
  timeout: -1004,
  busy: -1005,
  unavailable: -1006,
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

/** One bad field of a query. */
export interface QueryViolation {
  /** By its REST names, for example `eventView.filts[0].comparator`. */
  readonly field: string;
  /** What is wrong with it, with the value that was found and what is valid. */
  readonly description: string;
}

interface RefusalOptions {
  readonly violations?: readonly QueryViolation[];
  /** HTTP status over REST, where it is not 200. */
  readonly httpStatus?: number;
  /** When to try again, where that is known. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Why a query is not answered; the service edge maps it to an envelope or a status. */
export class AnalysisRefusal extends Error {
  override readonly name = "AnalysisRefusal";
  /** Never 0. */
  readonly returnCode: number;
  readonly violations: readonly QueryViolation[];
  readonly httpStatus: number;
  readonly retryAfterMs: number | undefined;

  constructor(returnCode: number, message: string, options: RefusalOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.returnCode = returnCode;
    this.violations = options.violations ?? [];
    this.httpStatus = options.httpStatus ?? 200;
    this.retryAfterMs = options.retryAfterMs;
  }
}
