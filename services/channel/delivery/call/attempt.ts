import type { Clock } from "../../../../base/async/clock.ts";
import type { Exchange, ExchangeOutcome } from "../../exchange/exchange.ts";

export interface AttemptRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** 0: none. */
  readonly timeoutMs: number;
}

/** One call of a receiver, ended by its timeout or by the signal. A timer costs less than `AbortSignal.any`. */
export async function attempt(
  exchange: Exchange,
  { headers, body, timeoutMs }: AttemptRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(signal.reason);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const expire = (): void => controller.abort(new DOMException("no answer in time", "TimeoutError"));
  const forget = timeoutMs > 0 ? clock.after(timeoutMs, expire) : () => {};
  try {
    return await exchange({ headers, body, signal: controller.signal });
  } finally {
    forget();
    signal.removeEventListener("abort", cancel);
  }
}
