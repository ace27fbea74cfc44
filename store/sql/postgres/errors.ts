import { wordError, wordSystemError } from "../../../base/text/system-error.ts";
import { isOwn, type StoreFaults } from "../faults.ts";

/** Codes after which the same transaction may succeed (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const again: ReadonlySet<string> = new Set([
  "23505", // unique violation: what was made at the same time is there now
  "40001", // serialization failure
  "40P01", // deadlock detected
]);

/** Classes of codes that say something about a request, not about the server. */
const requestClasses: ReadonlySet<string> = new Set(["22", "23", "42"]);

/** The SQLSTATE of an error of the server; an empty text for others. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" && code.length === 5 ? code : "";
}

export function isWorthAnotherTry(error: unknown): boolean {
  return again.has(codeOf(error));
}

/** Missing tables or schema: never migrated. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === "42P01" || codeOf(error) === "3F000";
}

/** An error as the port has it: all that comes from the server or the way to it is "away", the rest is ours. */
export function toStoreError(faults: StoreFaults, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isRequest = requestClasses.has(codeOf(error).slice(0, 2)) && !isWorthAnotherTry(error);
  if (isOwn(faults, error) || isRequest || error instanceof TypeError) return error;
  return new faults.UnavailableError(`${faults.noun} database: ${wordsOf(error)}`, { cause: error });
}

/** A refused connection to a name of several addresses has its messages inside. */
function wordsOf(error: Error): string {
  if (wordSystemError(error) !== undefined) return wordError(error);
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(wordError).join(", ");
}
