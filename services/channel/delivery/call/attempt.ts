import type { Clock } from "../../../../base/async/clock.ts";
import type { Exchange, ExchangeOutcome, ExchangeRequest } from "../../exchange/exchange.ts";

export interface AttemptRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly bodyTaken?: ExchangeRequest["bodyTaken"];
  /** 0: no timeout. */
  readonly timeoutMs: number;
}

/** Calls a receiver. The timeout aborts the call, and so may others. @param ending of this call alone */
export async function attempt(
  exchange: Exchange,
  { headers, body, bodyTaken, timeoutMs }: AttemptRequest,
  clock: Clock,
  ending: AbortController,
): Promise<ExchangeOutcome> {
  const expire = (): void => ending.abort(new DOMException("no response in time", "TimeoutError"));
  const cancelTimer = timeoutMs > 0 ? clock.after(timeoutMs, expire) : () => {};
  try {
    return await exchange({ headers, body, bodyTaken, signal: ending.signal });
  } finally {
    cancelTimer();
  }
}
