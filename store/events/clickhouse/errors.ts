import { describeReason, oneLine } from "../../../base/text/system-error.ts";
import {
  EventsMemoryError,
  EventsUnavailableError,
  PatternTooLargeError,
  PlanTooLargeError,
  TooManyQueriesError,
} from "../events.ts";

type Kind = new (message: string, options?: ErrorOptions & { readonly retryAfterMs?: number }) => Error;

/** The connection, and a session which a repeated request uses. */
const networkCodes = [95, 198, 203, 209, 210, 236, 279, 373, 519, 574, 598];
/** A server which restarts is available again after some seconds. */
const retryAfterMs = 1_000;

/**
 * The classes of the server's error codes. Other codes are faults of a statement.
 * https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
const kinds = new Map<number, Kind>(
  (
    [
      // Memory: the limit of the query, of the server, of the system.
      [EventsMemoryError, [173, 241]],
      [TooManyQueriesError, [202]],
      // The text, its depth and its number of elements.
      [PlanTooLargeError, [167, 168, 306, 62_000]],
      // Time: the limit of the statement, a kill.
      [EventsUnavailableError, [159, 160, 394, 734]],
      // Names: the database or a table is missing, and has to be created by a migration.
      [EventsUnavailableError, [60, 81]],
      // Access.
      [EventsUnavailableError, [164, 192, 193, 194, 195, 497, 516]],
      // Network and other servers.
      [EventsUnavailableError, networkCodes],
      // Files, disks and what a server has too much of.
      [
        EventsUnavailableError,
        [23, 27, 33, 40, 74, 75, 76, 88, 89, 107, 228, 229, 243, 246, 252, 271, 354, 425, 432, 439, 722, 745],
      ],
      // Read-only tables and replication.
      [EventsUnavailableError, [225, 242, 254, 285, 286, 319, 999]],
      // Failures of the system, which the server reports without a code of its own.
      [EventsUnavailableError, [1_001, 1_002]],
    ] as const satisfies readonly (readonly [Kind, readonly number[]])[]
  ).flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)),
);

const missingTable: ReadonlySet<number> = new Set([60, 81]);

/** An exception of the server. */
export class ServerException extends Error {
  override readonly name = "ServerException";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the exception that the server writes to the end of a result it can't complete. */
export function exceptionIn(tail: string): ServerException | undefined {
  const found = /Code: (\d+)\. DB::Exception: ([^\n]*)[\s\S]{0,400}$/.exec(tail);
  return found === null ? undefined : new ServerException(Number(found[1]), found[2]!);
}

/**
 * Maps an error of a statement to the classes of the port. Faults of statements stay errors without a
 * class.
 * @param server what the message calls the server
 */
export function storeError(error: unknown, server: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  const reason = oneLine(describeReason(error));
  if (code === undefined) {
    const message = `${server} is unavailable: ${reason}`;
    return new EventsUnavailableError(message, { cause: error, retryAfterMs });
  }
  if (/pattern too large/.test(error.message)) return new PatternTooLargeError(reason, { cause: error });
  if (/Max query size exceeded/.test(error.message)) return new PlanTooLargeError(reason, { cause: error });
  const Kind = kinds.get(code);
  if (Kind === undefined) return error;
  const advice = missingTable.has(code) ? "; the store has to be migrated" : "";
  return new Kind(`${server} is unavailable: ${reason}${advice}`, {
    cause: error,
    ...(networkCodes.includes(code) && { retryAfterMs }),
  });
}

/** Returns the server's code; undefined for errors of the connection. */
function codeOf(error: Error): number | undefined {
  const code = "code" in error ? String(error.code) : "";
  return /^\d+$/.test(code) ? Number(code) : undefined;
}
