import { describeSystemError, errorMessage } from "../../../base/text/system-error.ts";
import { isErrorOf, type StoreFaults } from "../faults.ts";

/**
 * Codes after which the same transaction may succeed when it runs again
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const retryable: ReadonlySet<string> = new Set([
  "23505", // unique violation: the row was inserted at the same time and exists now
  "40001", // serialization failure
  "40P01", // deadlock detected
]);

/** Classes of codes which concern a request, not the server. */
const requestClasses: ReadonlySet<string> = new Set(["22", "23", "42"]);

/** Returns the SQLSTATE of a server's error; an empty text for other errors. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" && code.length === 5 ? code : "";
}

export function isRetryable(error: unknown): boolean {
  return retryable.has(codeOf(error));
}

/** Reports whether tables or schema are missing, because the store was never migrated. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === "42P01" || codeOf(error) === "3F000";
}

/**
 * Maps an error to the classes of the port: errors of the server or of the connection become
 * `UnavailableError`, others stay.
 */
export function toStoreError(faults: StoreFaults, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isRequest = requestClasses.has(codeOf(error).slice(0, 2)) && !isRetryable(error);
  if (isErrorOf(faults, error) || isRequest || error instanceof TypeError) return error;
  return new faults.UnavailableError(`${faults.noun} database: ${messageOf(error)}`, { cause: error });
}

/** Returns the message of an error. A refused connection to a host with several addresses has its messages inside. */
function messageOf(error: Error): string {
  if (describeSystemError(error) !== undefined) return errorMessage(error);
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(errorMessage).join(", ");
}
