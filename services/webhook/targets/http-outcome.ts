import type { ReceivedResponse } from "../../../base/net/http-client.ts";
import { describeHtmlPage } from "../../../base/text/html-page.ts";
import { oneLine } from "../../../base/text/system-error.ts";
import { downOutcome, type TargetOutcome } from "./target.ts";

/** Temporary statuses from 400 to 499; the other ones are permanent. */
const retriable: ReadonlySet<number> = new Set([408, 425, 429]);
/** Statuses of the target as a whole, which apply to all messages. */
const down: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Converts a response to the outcome of the call's messages: 2xx is done; 5xx, 408, 425 and 429 are retried; other 4xx
 * are dead. A redirect is not followed but retried, because it says nothing about the message.
 */
export function outcomeOf(
  { status, headers, text, bodyFault = "" }: Omit<ReceivedResponse, "isTruncated">,
  nowMs: number,
): TargetOutcome {
  if (status >= 200 && status < 300) return { kind: "done" };
  const said = describeHtmlPage(text) ?? (text || bodyFault);
  const reason = oneLine(`HTTP ${status}${said === "" ? "" : `: ${said}`}`);
  if (status >= 300 && status < 400) {
    const place = headers.location === undefined ? "" : ` to ${headers.location}`;
    return downOutcome(oneLine(`HTTP ${status}: redirects are not followed${place}`));
  }
  if (status < 500 && !retriable.has(status)) return { kind: "dead", reason };
  const afterMs = parseRetryAfter(headers["retry-after"], nowMs);
  return down.has(status) ? downOutcome(reason, afterMs) : { kind: "retry", reason, afterMs };
}

/** Limit of the delay: a day. */
const maxRetryAfterMs = 86_400_000;

/** Parses seconds or an HTTP date; undefined if it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Number(text) * 1_000, maxRetryAfterMs);
  // Dates in other forms are refused, since Date.parse accepts almost anything.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  return Math.min(Math.max(0, Date.parse(text) - nowMs), maxRetryAfterMs);
}
