import { exactCountOf } from "../../../base/text/count.ts";
import type { ExchangeAnswer, ExchangeFailureKind, ExchangeOutcome } from "../exchange/exchange.ts";
import { type FailedElement, parseAnswer, readAnswer } from "./answer.ts";

/** Whether an answer that is not of the specified form, or empty, fails the call. */
export type Validation = "strict" | "lenient";

/** Why all elements of a batch failed; the names are those of the statistics. */
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
      /** The batch was taken but for the elements that the receiver named. */
      readonly kind: "accepted";
      /** Ascending by index, each once. */
      readonly failed: readonly FailedElement[];
      /** What was not right and yet taken. */
      readonly warnings: readonly string[];
    }
  | {
      /** The call failed, and with it every element. */
      readonly kind: "failed";
      readonly reason: CallFailureReason;
      readonly message: string;
      /** Whether the same batch may be sent again, when the channel has retries left. */
      readonly isRetryable: boolean;
    };

/** What a call without an answer means, and whether another attempt has a meaning. */
const failures: Readonly<Record<ExchangeFailureKind, { reason: CallFailureReason; isRetryable: boolean }>> = {
  timeout: { reason: "timeout", isRetryable: true },
  // As with a timeout, nobody knows whether the batch was taken; the request id is what makes another attempt safe.
  connection: { reason: "connection", isRetryable: true },
  cut: { reason: "connection", isRetryable: true },
  not_http: { reason: "invalid_answer", isRetryable: false },
  refused_address: { reason: "refused_address", isRetryable: false },
  cancelled: { reason: "cancelled", isRetryable: false },
};

/** Said by servers and proxies that would take the same request later. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * What came of one call with a batch.
 *
 * The specification fails a call by a timeout, by a return_code other than 0
 * (both are retried), by a status other than 200, and, with strict validation,
 * by a body that is empty or not of the specified form. It leaves open, and
 * here it is so: a status other than 200 is retried when its body has a
 * return_code other than 0 or the status is a passing one (408, 425, 429, 500,
 * 502, 503, 504); a lost connection is retried; a wrong form is not, since the
 * receiver may have taken the batch and would answer the same again. An answer
 * too long to be read, or in an encoding that can't be read, fails also without
 * validation, since it may say anything.
 *
 * @param size elements of the batch
 */
export function judgeOutcome(outcome: ExchangeOutcome, size: number, validation: Validation): Verdict {
  if (outcome.kind !== "answer") {
    return { kind: "failed", ...failures[outcome.kind], message: outcome.message };
  }
  if (outcome.status !== 200) return judgeStatus(outcome, size);
  if (outcome.bodyFault !== undefined) return invalid(outcome.bodyFault);
  if (outcome.isTruncated) {
    return invalid(
      `answer is longer than the ${exactCountOf(outcome.text.length, "character")} that are read of it`,
    );
  }
  if (outcome.text.trim() === "") {
    return validation === "strict" ? invalid("answer has no body") : accepted([], ["answer has no body"]);
  }
  const parsed = parse(outcome.text);
  if ("problem" in parsed) {
    return validation === "strict" ? invalid(parsed.problem) : accepted([], [parsed.problem]);
  }
  const { returnCode, said, failed, problems } = readAnswer(parsed.value, size);
  if (returnCode === "failed") {
    return { kind: "failed", reason: "return_code", message: said, isRetryable: true };
  }
  if (validation === "strict" && problems.length > 0) return invalid(problems.join("; "));
  return accepted(failed, problems);
}

function judgeStatus({ status, headers, text, isTruncated }: ExchangeAnswer, size: number): Verdict {
  const parsed = isTruncated ? undefined : parse(text);
  const read = parsed !== undefined && "value" in parsed ? readAnswer(parsed.value, size) : undefined;
  const saysFailed = read?.returnCode === "failed";
  const location = headers["location"];
  const parts = [
    `HTTP ${status}`,
    status >= 300 && status < 400 && location !== undefined
      ? `redirects are not followed, this one leads to ${location}`
      : "",
    saysFailed ? read.said : "",
  ];
  return {
    kind: "failed",
    reason: "http_status",
    message: parts.filter(Boolean).join(", "),
    isRetryable: saysFailed || passingStatuses.has(status),
  };
}

function parse(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: parseAnswer(text) };
  } catch {
    const hint = text.startsWith("\ufeff") ? ", it begins with a byte order mark" : "";
    return { problem: `answer is not JSON${hint}` };
  }
}

function accepted(failed: readonly FailedElement[], warnings: readonly string[]): Verdict {
  return { kind: "accepted", failed, warnings };
}

function invalid(message: string): Verdict {
  return { kind: "failed", reason: "invalid_answer", message, isRetryable: false };
}
