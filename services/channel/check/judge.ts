import { type Finding, failed, passed } from "./probe.ts";
import type { Exchanged } from "./session.ts";

/** Passes if all elements are accepted. */
export function expectAccepted(exchanged: Exchanged): Finding {
  const { verdict, ms } = exchanged;
  if (verdict.kind === "failed") return failed(exchanged, `the call failed: ${verdict.message}`);
  const [first] = verdict.failed;
  if (first === undefined) return passed(formatMs(ms));
  return failed(exchanged, `fail_list has element ${first.index}: ${first.message || "no reason given"}`);
}

/** Passes if the whole batch is refused. */
export function expectRefused(exchanged: Exchanged): Finding {
  const { outcome } = exchanged;
  if (outcome.kind !== "response") return failed(exchanged, `no response: ${outcome.message}`);
  return isRefusal(exchanged)
    ? passed(formatStatus(exchanged))
    : failed(exchanged, "the batch was not refused");
}

/** Passes if all elements are accepted, except that `fail_list` may have those of these indexes, counted from 1. */
export function expectOnlyMayFail(exchanged: Exchanged, indexes: readonly number[]): Finding {
  const { verdict } = exchanged;
  if (verdict.kind === "failed") {
    return failed(exchanged, `the whole batch failed because of one element: ${verdict.message}`);
  }
  const other = verdict.failed.find(({ index }) => !indexes.includes(index));
  if (other !== undefined) return failed(exchanged, `fail_list has element ${other.index}, which is valid`);
  return passed(verdict.failed.length === 0 ? "accepted" : "listed in fail_list");
}

/** Reports whether the receiver refused the batch, by a return_code or an HTTP status. */
export function isRefusal({ outcome, verdict }: Exchanged): boolean {
  if (outcome.kind !== "response" || verdict.kind !== "failed") return false;
  return verdict.reason === "return_code" || outcome.status >= 400;
}

export function formatStatus({ outcome }: Exchanged): string {
  return outcome.kind === "response" ? `HTTP ${outcome.status}` : outcome.message;
}

export function formatMs(ms: number): string {
  return `${Math.round(ms)} ms`;
}
