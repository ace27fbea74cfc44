import { startTimeLimit, type TimeLimit, untilAborted } from "../../base/async/abort.ts";
import type { Violation } from "../../base/rpc/violation.ts";
import { AnalysisRefusal, returnCodes } from "./refusal/refusal.ts";

const defaultSeconds = 60;
export const maxSeconds = 3_600;

/** Returns the time limit of a query. */
export const secondsOf = (timeoutSeconds = defaultSeconds): number => timeoutSeconds;

/** Returns the faults of the time limit of a query. */
export function faultsOfTimeout(timeoutSeconds: number | undefined): readonly Violation[] {
  if (timeoutSeconds === undefined) return [];
  if (timeoutSeconds > 0 && timeoutSeconds <= maxSeconds) return [];
  const description = `${timeoutSeconds} is not valid, valid is 1 to ${maxSeconds}`;
  return [{ field: "timeoutSeconds", description }];
}

/** A signal that is aborted with the caller's signal, or with a refusal at the time limit. */
export function startQueryLimit(caller: AbortSignal, seconds: number): TimeLimit {
  const message = `the query did not end within ${seconds} s and was cancelled`;
  return startTimeLimit(seconds * 1_000, () => new AnalysisRefusal(returnCodes.timeout, message), caller);
}

/** When a stream is ended before its client ends it. */
export interface StreamLimits {
  /** Once it is aborted, its reason is thrown instead of the next message. */
  readonly signal: AbortSignal;
  /** Longest time in which the client reads no message. */
  readonly stallMs: number;
}

/**
 * Yields the same messages. The source is ended as soon as the signal is aborted or the client stalls, also while no
 * message is requested: until then it may occupy a slot that other calls wait for.
 */
export function eachWithin<T>(messages: AsyncIterable<T>, limits: StreamLimits): AsyncIterableIterator<T> {
  const stream = new LimitedStream(messages[Symbol.asyncIterator](), limits);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => stream.next(),
    async return() {
      stream.end();
      return { done: true, value: undefined };
    },
  };
}

class LimitedStream<T> {
  readonly #iterator: AsyncIterator<T>;
  readonly #limits: StreamLimits;
  readonly #abort = (): void => this.end(this.#limits.signal.reason);
  #stall: NodeJS.Timeout | undefined;
  #isEnded = false;
  /** Thrown once instead of the next message. */
  #reason: unknown;

  constructor(iterator: AsyncIterator<T>, limits: StreamLimits) {
    this.#iterator = iterator;
    this.#limits = limits;
    limits.signal.addEventListener("abort", this.#abort, { once: true });
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    clearTimeout(this.#stall);
    const { signal, stallMs } = this.#limits;
    if (signal.aborted) this.end(signal.reason);
    if (this.#isEnded) {
      if (this.#reason === undefined) return { done: true, value: undefined };
      throw this.#takeReason();
    }
    try {
      const result = await untilAborted(this.#iterator.next(), signal);
      if (result.done !== true) {
        this.#stall = setTimeout(() => this.end(stalled(stallMs)), stallMs);
        return result;
      }
    } catch (error) {
      this.end();
      throw error;
    }
    this.end();
    return { done: true, value: undefined };
  }

  /** @param reason thrown when the client requests the next message */
  end(reason?: unknown): void {
    clearTimeout(this.#stall);
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#reason = reason;
    this.#limits.signal.removeEventListener("abort", this.#abort);
    // The end of the source is not awaited: one that ignores its signal would keep the call open.
    this.#iterator.return?.().catch(() => {});
  }

  #takeReason(): unknown {
    const reason = this.#reason;
    this.#reason = undefined;
    return reason;
  }
}

function stalled(stallMs: number): AnalysisRefusal {
  const message = `the client read nothing for ${stallMs / 1_000} s, so the download was cancelled`;
  return new AnalysisRefusal(returnCodes.timeout, message);
}
