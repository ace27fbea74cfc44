import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamResponse,
  type UnaryResponse,
} from "@connectrpc/connect";
import { eachUntilAborted, startTimeLimit, type TimeLimit, untilAborted } from "../../base/async/abort.ts";

/**
 * Ends calls at their deadline or when the caller closes the connection, even if the
 * handler does not look at its signal: Connect aborts the signal and then waits
 * for the handler. Unary calls end after `maxDeadlineMs` in any case; streams may
 * stay open for ever.
 */
export function enforceDeadline(maxDeadlineMs: number): Interceptor {
  return (next) => async (request) => {
    if (request.stream) {
      const response = await untilAborted(next(request), request.signal, abortError);
      return response.stream
        ? { ...response, message: eachUntilAborted(response.message, request.signal, abortError) }
        : response;
    }
    using limit = startDeadline(maxDeadlineMs, request.signal);
    const { signal } = limit;
    return await untilAborted<UnaryResponse | StreamResponse>(
      next({ ...request, signal }),
      signal,
      abortError,
    );
  };
}

/** A signal that aborts with DEADLINE_EXCEEDED after this time, unless it is disposed of before. */
export function startDeadline(maxDeadlineMs: number, caller?: AbortSignal): TimeLimit {
  const exceeded = () => new ConnectError("the deadline of the call was exceeded", Code.DeadlineExceeded);
  return startTimeLimit(maxDeadlineMs, exceeded, caller);
}

/** The error of a call whose signal was aborted. */
export function abortError(reason: unknown): ConnectError {
  return ConnectError.from(reason, Code.Canceled);
}
