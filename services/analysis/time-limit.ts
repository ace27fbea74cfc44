import { AnalysisRefusal, type QueryViolation, returnCodes } from "./refusal.ts";

const defaultSeconds = 60;
export const maxSeconds = 3_600;

/** How long a query may take. */
export const secondsOf = (timeoutSeconds = defaultSeconds): number => timeoutSeconds;

/** What is wrong with the time that a query may take. */
export function faultsOfTimeout(timeoutSeconds: number | undefined): readonly QueryViolation[] {
  if (timeoutSeconds === undefined) return [];
  if (timeoutSeconds > 0 && timeoutSeconds <= maxSeconds) return [];
  const description = `${timeoutSeconds} is not valid, valid is 1 to ${maxSeconds}`;
  return [{ field: "timeoutSeconds", description }];
}

/** A signal that is aborted with the caller's, or with a refusal when the time is over. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

export function startTimeLimit(caller: AbortSignal, seconds: number): TimeLimit {
  const controller = new AbortController();
  const expire = (): void => {
    const message = `the query did not end within ${seconds} s and was cancelled`;
    controller.abort(new AnalysisRefusal(returnCodes.timeout, message));
  };
  const leave = (): void => controller.abort(caller.reason);
  const timer = setTimeout(expire, seconds * 1_000);
  if (caller.aborted) leave();
  else caller.addEventListener("abort", leave, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller.removeEventListener("abort", leave);
    },
  };
}

/** The outcome of `work`, or the signal's reason if that comes first: an engine may take its time to cancel. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}

/** The same messages; once the signal is aborted its reason is thrown in the place of the next. */
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
    // Not awaited: what ignores its signal would hold the call open here.
    iterator.return?.().catch(() => {});
  }
}
