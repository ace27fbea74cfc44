import { validateHeaderValue } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { RequestInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import type { CallRecord } from "./record.ts";
import { recordOf } from "./record.ts";

/** Receives each error that is a fault of the server; its caller gets only the request id. */
export type ReportFault = (error: unknown, record: CallRecord) => void;

/**
 * Turns what a handler throws into an error that callers may see: a
 * `ConnectError` stays, anything else becomes "internal error" with the request
 * id under which the log has the cause.
 */
export function toSafeError(error: unknown, record: CallRecord, report: ReportFault): ConnectError {
  let fault = error;
  if (error instanceof ConnectError) {
    try {
      return toSendable(error, record.protocol === "grpc" ? inHeaders : inBodies);
    } catch (detailsFault) {
      fault = detailsFault;
    }
  }
  report(fault, record);
  return new ConnectError(
    `internal error, request id ${record.requestId}`,
    Code.Internal,
    undefined,
    [{ desc: RequestInfoSchema, value: { requestId: record.requestId } }],
    fault,
  );
}

/**
 * gRPC sends message and details in headers, and the message again with the
 * details. Many clients refuse headers of more than 8 KiB; this is below it when
 * each byte of the message takes three characters and each of the details 4/3.
 */
const inHeaders: ErrorLimits = { messageBytes: 1_024, detailsBytes: 2_048 };

/** Other protocols send an error in the body. */
const inBodies: ErrorLimits = { messageBytes: 16_384, detailsBytes: Number.POSITIVE_INFINITY };

interface ErrorLimits {
  readonly messageBytes: number;
  readonly detailsBytes: number;
}

/**
 * Messages quote what callers sent, so they may be long, and hold half of a
 * surrogate pair, which no header can. @throws when a detail is not of its type, or metadata cannot be sent
 */
function toSendable(error: ConnectError, { messageBytes, detailsBytes }: ErrorLimits): ConnectError {
  for (const [name, value] of error.metadata) validateHeaderValue(name, value);
  const message = cut(error.rawMessage.toWellFormed(), messageBytes);
  const details = takeFitting(error.details, detailsBytes);
  const code = Code[error.code] === undefined ? Code.Unknown : error.code;
  if (message === error.rawMessage && details.length === error.details.length && code === error.code)
    return error;
  const sendable = new ConnectError(message, code, error.metadata, undefined, error.cause);
  sendable.details = details;
  return sendable;
}

function cut(message: string, maxBytes: number): string {
  if (message.length * 3 <= maxBytes) return message;
  const bytes = Buffer.from(message);
  if (bytes.length <= maxBytes) return message;
  // Decoded as part of a stream, so that half a character at the end is left out.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return `${decoder.decode(bytes.subarray(0, maxBytes), { stream: true })}…`;
}

type Details = ConnectError["details"];

/** Leaves out details beyond the limit. */
function takeFitting(details: Details, maxBytes: number): Details {
  let room = maxBytes;
  return details.filter((detail) => {
    const { length } =
      "desc" in detail ? toBinary(detail.desc, create(detail.desc, detail.value)) : detail.value;
    if (length > room) return false;
    room -= length;
    return true;
  });
}

/** Reports a fault that a handler throws after its call has ended; it does not change the response. */
export function reportLate(error: unknown, record: CallRecord, report: ReportFault): void {
  if (!(error instanceof ConnectError || isAbortError(error))) report(error, record);
}

/** Applies `toSafeError` as an interceptor, to unary calls and to each message of a stream. */
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

/** The same messages; an error that ends them is replaced. One that the consumer throws in is not theirs. */
export async function* mapErrors<T>(
  messages: AsyncIterable<T>,
  replace: (error: unknown) => unknown,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const next = (): Promise<IteratorResult<T>> =>
    iterator.next().catch((error: unknown) => {
      throw replace(error);
    });
  try {
    for (let result = await next(); result.done !== true; result = await next()) yield result.value;
  } finally {
    await iterator.return?.();
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
