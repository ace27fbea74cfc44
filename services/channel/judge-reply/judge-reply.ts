import { exactCountOf } from "../../../base/text/count.ts";
import { describeHtmlPage } from "../../../base/text/html-page.ts";
import type { Mask } from "../../../base/text/mask-secrets.ts";
import type { ExchangeFailureKind, ExchangeOutcome, ExchangeResponse } from "../exchange/exchange.ts";
import { type FailedElement, parseReply, readReply } from "./read-reply.ts";

/**
 * Whether an empty reply, or one that does not have the specified form, fails the call (`strict`) or gives warnings.
 */
export type Validation = "strict" | "lenient";

/** Why all elements of a batch failed, as named in statistics. */
export type CallFailureReason =
  | "timeout"
  | "connection"
  | "refused_address"
  | "cancelled"
  | "http_status"
  | "return_code"
  | "invalid_answer";

export type Verdict =
  | {
      /** The receiver accepted the batch, except the elements that it listed. */
      readonly kind: "accepted";
      /** Listed elements, ascending by index, each once. */
      readonly failed: readonly FailedElement[];
      /** Faults of the reply that were ignored. */
      readonly warnings: readonly string[];
    }
  | {
      /** The call failed, and so did all elements. */
      readonly kind: "failed";
      readonly reason: CallFailureReason;
      readonly message: string;
      /** Whether the same batch may be sent again if the channel has retries left. */
      readonly isRetryable: boolean;
    };

/** The reason of a call without a response, and whether it is retried. */
const failures: Readonly<Record<ExchangeFailureKind, { reason: CallFailureReason; isRetryable: boolean }>> = {
  timeout: { reason: "timeout", isRetryable: true },
  // The batch may have been accepted, as after a timeout. The request id makes a retry safe.
  connection: { reason: "connection", isRetryable: true },
  cut: { reason: "connection", isRetryable: true },
  not_http: { reason: "invalid_answer", isRetryable: false },
  refused_address: { reason: "refused_address", isRetryable: false },
  cancelled: { reason: "cancelled", isRetryable: false },
};

/** Statuses of servers and proxies that may accept the same request later. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The last reply without a fault, whatever the size of its batch: most receivers always send the same. */
let faultlessText: string | undefined;

/**
 * Judges the outcome of one call with a batch.
 *
 * The specification fails a call by a timeout, by a return_code other than 0
 * (both are retried), by a status other than 200, and, with strict validation,
 * by a body that is empty or does not have the specified form. It leaves the rest
 * open; here a status other than 200 is retried if its body has a return_code
 * other than 0 or the status is temporary (408, 425, 429, 500, 502, 503, 504). A
 * lost connection is retried. A wrong form is not, since the receiver may have
 * accepted the batch and would reply the same again. A reply that is too long, or
 * in an unknown encoding, fails also with lenient validation, since its contents
 * are unknown.
 *
 * @param size elements of the batch
 * @param mask applied to what the receiver wrote, before it is quoted and shortened
 */
export function judgeOutcome(
  outcome: ExchangeOutcome,
  size: number,
  validation: Validation,
  mask: Mask,
): Verdict {
  if (outcome.kind !== "response") {
    return { kind: "failed", ...failures[outcome.kind], message: mask(outcome.message) };
  }
  if (outcome.status !== 200) return judgeStatus(outcome, size, mask);
  if (outcome.bodyFault !== undefined) return invalid(mask(outcome.bodyFault));
  if (outcome.isTruncated) {
    return invalid(`reply is longer than the limit of ${exactCountOf(outcome.text.length, "character")}`);
  }
  if (outcome.text.trim() === "") {
    return validation === "strict" ? invalid("reply has no body") : accepted([], ["reply has no body"]);
  }
  if (outcome.text === faultlessText) return accepted([], []);
  const parsed = parse(outcome.text, mask);
  if ("problem" in parsed) {
    return validation === "strict" ? invalid(parsed.problem) : accepted([], [parsed.problem]);
  }
  const { returnCode, summary, failed, problems } = readReply(parsed.value, size, mask);
  if (returnCode === "failed") {
    return { kind: "failed", reason: "return_code", message: summary, isRetryable: true };
  }
  if (validation === "strict" && problems.length > 0) return invalid(problems.join("; "));
  if (failed.length === 0 && problems.length === 0) faultlessText = outcome.text;
  return accepted(failed, problems);
}

function judgeStatus(
  { status, headers, text, isTruncated }: ExchangeResponse,
  size: number,
  mask: Mask,
): Verdict {
  const parsed = isTruncated ? undefined : parse(text, mask);
  const read = parsed !== undefined && "value" in parsed ? readReply(parsed.value, size, mask) : undefined;
  const hasFailed = read?.returnCode === "failed";
  const location = headers["location"];
  const parts = [
    `HTTP ${status}`,
    status >= 300 && status < 400 && location !== undefined
      ? `redirects are not followed, this one is to ${mask(String(location))}`
      : "",
    hasFailed ? read.summary : (describeHtmlPage(mask(text)) ?? ""),
  ];
  return {
    kind: "failed",
    reason: "http_status",
    message: parts.filter(Boolean).join(", "),
    isRetryable: hasFailed || temporaryStatuses.has(status),
  };
}

function parse(text: string, mask: Mask): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: parseReply(text) };
  } catch {
    const page = describeHtmlPage(mask(text));
    if (page !== undefined) return { problem: `reply is not JSON but ${page}` };
    const hint = text.startsWith("\ufeff") ? ", it starts with a byte order mark" : "";
    return { problem: `reply is not JSON${hint}` };
  }
}

function accepted(failed: readonly FailedElement[], warnings: readonly string[]): Verdict {
  return { kind: "accepted", failed, warnings };
}

function invalid(message: string): Verdict {
  return { kind: "failed", reason: "invalid_answer", message, isRetryable: false };
}
