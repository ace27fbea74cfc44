import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { RequestInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import type { CallRecord } from "./record.ts";
import { recordOf } from "./record.ts";

/** Told of every error that is a fault of ours: the caller sees only the request id. */
export type ReportFault = (error: unknown, record: CallRecord) => void;

/**
 * Turns whatever a handler throws into an error that may leave the house: a
 * `ConnectError` as it is, anything else as "internal error" with the request
 * id by which the log has the rest.
 */
export function toSafeError(error: unknown, record: CallRecord, report: ReportFault): ConnectError {
  if (error instanceof ConnectError) return error;
  report(error, record);
  return new ConnectError(
    `internal error, request id ${record.requestId}`,
    Code.Internal,
    undefined,
    [{ desc: RequestInfoSchema, value: { requestId: record.requestId } }],
    error,
  );
}

/** `toSafeError` as an interceptor, for unary answers and for each message of a stream. */
export function concealFaults(report: ReportFault): Interceptor {
  return (next) => async (request) => {
    const conceal = (error: unknown): ConnectError => {
      const { signal } = request;
      // A handler that throws its signal's reason was cancelled; it has not failed.
      const cancelled = signal.aborted && isAbortError(error) ? signal.reason : error;
      return toSafeError(cancelled, recordOf(request.contextValues), report);
    };
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: guard(response.message, conceal) } : response;
    } catch (error) {
      throw conceal(error);
    }
  };
}

async function* guard<T>(messages: AsyncIterable<T>, conceal: (error: unknown) => Error): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw conceal(error);
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
