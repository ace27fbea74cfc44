import type { Clock } from "../../../../base/async/clock.ts";
import type { Exchange, ExchangeOutcome, ExchangeRequest } from "../../exchange/exchange.ts";

export interface AttemptRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly bodyTaken?: ExchangeRequest["bodyTaken"];
  /** 0: no timeout. */
  readonly timeoutMs: number;
}

/** Calls a receiver. The timeout or the signal ends the call. A timer costs less than `AbortSignal.any`. */
export async function attempt(
  exchange: Exchange,
  { timeoutMs, ...request }: AttemptRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(signal.reason);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const expire = (): void => controller.abort(new DOMException("no response in time", "TimeoutError"));
  const cancelTimer = timeoutMs > 0 ? clock.after(timeoutMs, expire) : () => {};
  try {
    return await exchange({ ...request, signal: controller.signal });
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", cancel);
  }
}
