import type { ConnectError } from "@connectrpc/connect";
import { wordReason, wordSystemError } from "../../base/text/system-error.ts";

/** The codes of faults that occur when no server is running. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
]);

/** Describes why a server could not be called, with a hint. */
export function wordConnectionFault(error: unknown): string {
  const words = wordReason(error);
  return isUnreachable(error) ? `${words}: is the server running?` : words;
}

/** Describes the failure of a call through Connect, which wraps errors of the connection. */
export function wordCallError({ rawMessage, cause }: ConnectError): string {
  return wordSystemError(cause) === undefined ? rawMessage : wordConnectionFault(cause);
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.some(isUnreachable);
  return ("code" in error && unreachableCodes.has(error.code)) || isUnreachable(error.cause);
}
