import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamResponse,
  type UnaryResponse,
} from "@connectrpc/connect";

/**
 * Ends calls at their deadline or when the caller goes away, also when the
 * handler does not look at its signal: Connect aborts the signal and then waits
 * for the handler. Unary calls end after `maxDeadlineMs` in any case; streams may
 * be open for ever.
 */
export function enforceDeadline(maxDeadlineMs: number): Interceptor {
  return (next) => async (request) => {
    if (request.stream) {
      const response = await untilAborted(next(request), request.signal);
      return response.stream
        ? { ...response, message: eachUntilAborted(response.message, request.signal) }
        : response;
    }
    using limit = startLimit(maxDeadlineMs);
    const signal = AbortSignal.any([request.signal, limit.signal]);
    return await untilAborted<UnaryResponse | StreamResponse>(next({ ...request, signal }), signal);
  };
}

/** A signal that aborts with DEADLINE_EXCEEDED after this time, unless it is disposed of before. */
export function startLimit(maxDeadlineMs: number): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const expire = (): void =>
    controller.abort(new ConnectError("the deadline of the call was exceeded", Code.DeadlineExceeded));
  const timer = setTimeout(expire, maxDeadlineMs);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** The outcome of `work`, or the signal's reason if that comes first. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(ConnectError.from(signal.reason, Code.Canceled));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** The same messages; once the signal aborts its reason is thrown instead of the next. */
export async function* eachUntilAborted<T>(
  messages: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await untilAborted(iterator.next(), signal);
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    // Not awaited: a handler that ignores its signal would hold the call open here.
    iterator.return?.().catch(() => {});
  }
}
