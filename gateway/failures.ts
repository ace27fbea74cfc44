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
  if (error instanceof ConnectError) return toSendable(error);
  report(error, record);
  return new ConnectError(
    `internal error, request id ${record.requestId}`,
    Code.Internal,
    undefined,
    [{ desc: RequestInfoSchema, value: { requestId: record.requestId } }],
    error,
  );
}

/** gRPC sends messages as a header: clients refuse headers beyond some 8 KiB. */
const maxMessageLength = 2_048;

/** Messages quote what callers sent, so they may be long, and hold half of a surrogate pair, which no header can. */
function toSendable(error: ConnectError): ConnectError {
  const { rawMessage } = error;
  if (rawMessage.length <= maxMessageLength && rawMessage.isWellFormed()) return error;
  const message =
    rawMessage.length > maxMessageLength ? `${rawMessage.slice(0, maxMessageLength)}…` : rawMessage;
  const sendable = new ConnectError(
    message.toWellFormed(),
    error.code,
    error.metadata,
    undefined,
    error.cause,
  );
  sendable.details = error.details;
  return sendable;
}

/** `toSafeError` as an interceptor, for unary answers and for each message of a stream. */
export function concealFaults(report: ReportFault): Interceptor {
  return (next) => async (request) => {
    const conceal = (error: unknown): ConnectError => {
      const { signal } = request;
      // A handler that throws its signal's reason was cancelled; it has not failed.
      const cancelled =
        signal.aborted && isAbortError(error) ? ConnectError.from(signal.reason, Code.Canceled) : error;
      return toSafeError(cancelled, recordOf(request.contextValues), report);
    };
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: mapErrors(response.message, conceal) } : response;
    } catch (error) {
      throw conceal(error);
    }
  };
}

/** The same messages; an error that ends them is replaced. */
export async function* mapErrors<T>(
  messages: AsyncIterable<T>,
  replace: (error: unknown) => unknown,
): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw replace(error);
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
