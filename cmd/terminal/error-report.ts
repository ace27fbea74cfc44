import { ConnectError } from "@connectrpc/connect";
import { codeName } from "../../base/rpc/code-names.ts";
import { errorMessage } from "../../base/text/system-error.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { ConfigError, type Problem } from "../config/problem.ts";
import { StoppedError, UsageError, UserError } from "./user-error.ts";

/** An error of a command, as `--json` prints it. */
export interface ErrorReport {
  /**
   * `usage`, `configuration`, `stopped`, `failed`, `system`, `internal`, or the code of a call, such as `not_found`.
   */
  readonly code: string;
  readonly message: string;
  readonly exit_code: number;
  /** The reason of a refused call, such as `PERMISSION_DENIED`. */
  readonly reason?: string;
  /** The wrong fields of a refused call. */
  readonly violations?: readonly { readonly field: string; readonly description: string }[];
  /** The faults of a configuration with their places. */
  readonly problems?: readonly Problem[];
}

/** Describes an error that ended a command. */
export function reportOf(error: unknown): ErrorReport {
  const exitCode = error instanceof UserError ? error.exitCode : 1;
  const base = { message: messageOf(error), exit_code: exitCode };
  if (error instanceof ConfigError) return { code: "configuration", ...base, problems: error.problems };
  const call = error instanceof UserError ? error.cause : undefined;
  if (call instanceof ConnectError)
    return { code: codeName(call.code).toLowerCase(), ...base, ...detailsOf(call) };
  return { code: codeOf(error), ...base };
}

/**
 * Reports whether an error is a fault of the user or the system, such as a port in use, which is shown without a stack.
 */
export function isExpected(error: unknown): error is Error {
  if (error instanceof UserError || error instanceof ConfigError) return true;
  return error instanceof Error && "syscall" in error;
}

/** Our own messages may have several lines. Errors of the system are described in words. */
function messageOf(error: unknown): string {
  const isOwn = error instanceof UserError || error instanceof ConfigError;
  return isOwn || !(error instanceof Error)
    ? ((error as Error).message ?? String(error))
    : errorMessage(error);
}

function codeOf(error: unknown): string {
  if (error instanceof StoppedError) return "stopped";
  if (error instanceof UsageError) return "usage";
  if (error instanceof UserError) return "failed";
  return isExpected(error) ? "system" : "internal";
}

function detailsOf(error: ConnectError): Pick<ErrorReport, "reason" | "violations"> {
  const [info] = error.findDetails(ErrorInfoSchema);
  const violations = error
    .findDetails(BadRequestSchema)
    .flatMap(({ fieldViolations }) => fieldViolations)
    .map(({ field, description }) => ({ field, description }));
  return {
    ...(info !== undefined && { reason: info.reason }),
    ...(violations.length > 0 && { violations }),
  };
}
