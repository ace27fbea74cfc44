import type { ConnectError } from "@connectrpc/connect";
import { describeReason, describeSystemError } from "../../base/text/system-error.ts";

/** The codes of faults that occur when no server is running. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
]);

/** Describes why a server could not be called, with a hint. */
export function describeConnectionFault(error: unknown): string {
  const reason = describeReason(error);
  return isUnreachable(error) ? `${reason}: is the server running?` : reason;
}

/** Describes the failure of a call through Connect, which wraps errors of the connection. */
export function describeCallError({ rawMessage, cause }: ConnectError): string {
  return describeSystemError(cause) === undefined ? rawMessage : describeConnectionFault(cause);
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.some(isUnreachable);
  return ("code" in error && unreachableCodes.has(error.code)) || isUnreachable(error.cause);
}
