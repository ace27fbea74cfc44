import { type Finding, failed, passed } from "./probe.ts";
import type { Exchanged } from "./session.ts";

/** All elements have to be taken. */
export function expectAccepted(exchanged: Exchanged): Finding {
  const { verdict, ms } = exchanged;
  if (verdict.kind === "failed") return failed(exchanged, `the call failed: ${verdict.message}`);
  const [first] = verdict.failed;
  if (first === undefined) return passed(formatMs(ms));
  return failed(
    exchanged,
    `element ${first.index} was named as failed: ${first.message || "no reason given"}`,
  );
}

/** Nothing may be taken. */
export function expectRefused(exchanged: Exchanged): Finding {
  const { outcome } = exchanged;
  if (outcome.kind !== "answer") return failed(exchanged, `there was no answer: ${outcome.message}`);
  return isRefusal(exchanged) ? passed(sayStatus(exchanged)) : failed(exchanged, "the batch was not refused");
}

/** The elements of these indexes, counted from 1, may be named as failed; the others have to be taken. */
export function expectOnlyMayFail(exchanged: Exchanged, indexes: readonly number[]): Finding {
  const { verdict } = exchanged;
  if (verdict.kind === "failed") {
    return failed(exchanged, `the whole batch failed for one element: ${verdict.message}`);
  }
  const other = verdict.failed.find(({ index }) => !indexes.includes(index));
  if (other !== undefined)
    return failed(exchanged, `element ${other.index}, which is good, was named as failed`);
  return passed(verdict.failed.length === 0 ? "taken" : "named in fail_list");
}

/** Whether the receiver said no, by a return_code or a status. */
export function isRefusal({ outcome, verdict }: Exchanged): boolean {
  if (outcome.kind !== "answer" || verdict.kind !== "failed") return false;
  return verdict.reason === "return_code" || outcome.status >= 400;
}

export function sayStatus({ outcome }: Exchanged): string {
  return outcome.kind === "answer" ? `HTTP ${outcome.status}` : outcome.message;
}

export function formatMs(ms: number): string {
  return `${Math.round(ms)} ms`;
}
