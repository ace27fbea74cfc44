/** Turns the reason of a signal into the error that is thrown. */
export type ErrorOf = (reason: unknown) => unknown;

const reasonItself: ErrorOf = (reason) => reason;

/**
 * The outcome of `work`, or the signal's reason if that comes first or has come
 * already. It is for work that may not look at the signal: the work goes on, and
 * its outcome is ignored.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  errorOf: ErrorOf = reasonItself,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(errorOf(signal.reason));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The same items. Once the signal is aborted its reason is thrown instead of the next one. */
export async function* eachUntilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal,
  errorOf?: ErrorOf,
): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await untilAborted(iterator.next(), signal, errorOf);
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    // This is not awaited, since a source that ignores the signal would hold the reader here.
    iterator.return?.().catch(() => {});
  }
}

/** A signal with a timer. Disposing of it stops the timer and forgets the caller. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** Ends the limit in time; the caller may still abort. */
  stopTimer(): void;
}

/**
 * A signal that is aborted after `ms`, or with the caller's signal and its reason.
 * @param reasonOf makes the reason when the time is over
 */
export function startTimeLimit(ms: number, reasonOf: () => unknown, caller?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const leave = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(() => controller.abort(reasonOf()), ms);
  if (caller?.aborted) leave();
  else caller?.addEventListener("abort", leave, { once: true });
  return {
    signal: controller.signal,
    stopTimer: () => clearTimeout(timer),
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", leave);
    },
  };
}
