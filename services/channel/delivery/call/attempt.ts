import type { Exchange, ExchangeOutcome, ExchangeRequest } from "../../exchange/exchange.ts";
import type { Deadlines } from "./deadlines.ts";

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
  deadlines: Deadlines,
  ending: AbortController,
): Promise<ExchangeOutcome> {
  if (timeoutMs > 0) deadlines.add(ending, timeoutMs);
  try {
    return await exchange({ headers, body, bodyTaken, signal: ending.signal });
  } finally {
    deadlines.delete(ending);
  }
}
