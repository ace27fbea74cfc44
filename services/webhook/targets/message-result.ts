import type { Mask } from "../../../base/text/mask-secrets.ts";
import { oneLine } from "../../../base/text/system-error.ts";
import type { MessageResult } from "../../../gen/engage/webhook/v1/batch_pb.ts";
import { durationMs } from "../mapping/timestamp.ts";
import type { TargetOutcome } from "./target.ts";

/** Limit of the delay: a day. */
const maxDelayMs = 86_400_000;

/**
 * Converts a consumer's result; undefined if it is empty.
 * @param mask applied to its reason before it is shortened. Default: nothing is masked
 */
export function toOutcome(
  { outcome }: MessageResult,
  mask: Mask = (text) => text,
): TargetOutcome | undefined {
  switch (outcome.case) {
    case "done":
      return { kind: "done" };
    case "dead":
      return { kind: "dead", reason: oneLine(mask(outcome.value.reason)) || "the target gave no reason" };
    case "retryAfter": {
      const { delay, reason } = outcome.value;
      const afterMs = delay && Math.min(Math.max(0, durationMs(delay)), maxDelayMs);
      return {
        kind: "retry",
        reason: oneLine(mask(reason)) || "the target asked for another attempt",
        afterMs,
      };
    }
    case undefined:
      return undefined;
  }
}
