import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamResponse,
  type UnaryResponse,
} from "@connectrpc/connect";
import { eachUntilAborted, startTimeLimit, type TimeLimit, untilAborted } from "../../base/async/abort.ts";
import { LinkedList, type ListMember } from "../../base/collections/linked-list.ts";

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

/** Returns a signal that aborts with DEADLINE_EXCEEDED after this time, unless it is disposed of before. */
export function startDeadline(maxDeadlineMs: number, caller?: AbortSignal): TimeLimit {
  const exceeded = () => new ConnectError("the deadline of the call was exceeded", Code.DeadlineExceeded);
  return startTimeLimit(maxDeadlineMs, exceeded, caller);
}

/** The error of a call whose signal was aborted. */
export function abortError(reason: unknown): ConnectError {
  return ConnectError.from(reason, Code.Canceled);
}

/** A call with a deadline. */
export interface ExpiringCall extends ListMember {
  /** Milliseconds left. */
  timeoutMs(): number | undefined;
  expire(): void;
}

/**
 * Calls with the same timeout, which expire in the order in which they were
 * added, so that one timer serves them all. A timer for each call takes a
 * twentieth of the time of a small one.
 */
export class DeadlineQueue {
  readonly #timeoutMs: number;
  readonly #waiting = new LinkedList<ExpiringCall>();
  #isArmed = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(one: ExpiringCall): void {
    this.#waiting.add(one);
    if (!this.#isArmed) this.#arm(this.#timeoutMs);
  }

  delete(one: ExpiringCall): void {
    this.#waiting.delete(one);
  }

  #arm(ms: number): void {
    this.#isArmed = true;
    setTimeout(sweep, ms, this).unref();
  }

  sweep(): void {
    this.#isArmed = false;
    for (let one = this.#waiting.first; one !== undefined; one = this.#waiting.first) {
      const left = one.timeoutMs() ?? 0;
      if (left > 0) {
        this.#arm(left);
        return;
      }
      this.#waiting.delete(one);
      one.expire();
    }
  }
}

function sweep(queue: DeadlineQueue): void {
  queue.sweep();
}
