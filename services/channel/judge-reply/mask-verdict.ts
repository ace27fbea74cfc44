import type { Mask } from "../../../base/text/mask-secrets.ts";
import type { Verdict } from "./judge-reply.ts";

/** Masks the texts of a verdict, which the receiver may have written. Most verdicts have none. */
export function maskVerdict(verdict: Verdict, mask: Mask): Verdict {
  if (verdict.kind === "failed") return { ...verdict, message: mask(verdict.message) };
  const { failed, warnings } = verdict;
  if (failed.length === 0 && warnings.length === 0) return verdict;
  return {
    kind: "accepted",
    failed: failed.map(({ index, message }) => ({ index, message: mask(message) })),
    warnings: warnings.map(mask),
  };
}
