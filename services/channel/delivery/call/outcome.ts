import { LruCache } from "../../../../base/cache/lru-cache.ts";
import type { FailedItem, LeasedBatch, Outcome } from "../../../../store/channels/channels.ts";
import type { Verdict } from "../../judge-reply/judge-reply.ts";
import type { FailedElement } from "../../judge-reply/read-reply.ts";
import { BodyMemory } from "../body/body-memory.ts";
import { writeBody } from "../body/write-body.ts";
import { countSegments } from "../prepare/segments.ts";

export interface RetryRule {
  /** Number of attempts after the first one. */
  readonly retries: number;
  readonly retryIntervalMs: number;
}

/** Outcomes of batches without a fault, by size and note. The store counts those that are the same object together. */
const faultless = new LruCache<string, Outcome>(100);

function faultlessOf({ note, size }: LeasedBatch): Outcome {
  const key = `${size} ${note}`;
  const known = faultless.get(key);
  if (known !== undefined) return known;
  const segments = countSegments(note, size, []);
  const outcome: Outcome = { kind: "succeeded", failedItems: [], warnings: 0, segments };
  faultless.set(key, outcome);
  return outcome;
}

/** Converts the verdict of an attempt to the outcome of its batch. */
export function outcomeOf(verdict: Verdict, batch: LeasedBatch, rule: RetryRule): Outcome {
  const { note, size } = batch;
  if (verdict.kind === "accepted") {
    if (verdict.failed.length === 0 && verdict.warnings.length === 0) return faultlessOf(batch);
    const failed = verdict.failed.map(({ index }) => index - 1);
    return {
      kind: "succeeded",
      failedItems: itemsOf(batch, verdict.failed),
      warnings: verdict.warnings.length === 0 ? 0 : 1,
      segments: countSegments(note, size, failed),
    };
  }
  const { reason, message, isRetryable } = verdict;
  const failure = { reason, message, segments: countSegments(note, size, undefined) };
  return isRetryable && batch.retries < rule.retries
    ? { kind: "retry", afterMs: rule.retryIntervalMs, ...failure }
    : { kind: "failed", ...failure };
}

/** Returns the failed items. Reads their push ids from the body, which is rarely needed. */
function itemsOf({ readPayload }: LeasedBatch, failed: readonly FailedElement[]): readonly FailedItem[] {
  if (failed.length === 0) return [];
  const body = Buffer.from(writeBody(readPayload(), new BodyMemory())).toString();
  const elements = JSON.parse(body) as readonly { readonly push_id: string }[];
  return failed.map(({ index, message }) => ({ index, message, pushId: elements[index - 1]!.push_id }));
}
