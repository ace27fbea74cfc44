import { wordError, wordSystemError } from "../../../base/text/system-error.ts";
import type { WorkItem } from "../../../store/inbox/inbox.ts";

/** Messages of one batch on their way to one target. */
export type HandedBatch = Omit<
  WorkItem,
  "token" | "leaseUntilMs" | "lastReason" | "acceptedClockMs" | "isSuspect"
>;

/** What became of one message in one call of a target. */
export type TargetOutcome =
  | { readonly kind: "done" }
  | {
      readonly kind: "retry";
      readonly reason: string;
      /** The least time to wait, where the target named one. */
      readonly afterMs?: number | undefined;
      /** The fault is the target's as a whole, so other messages would fare no better now. */
      readonly isTargetDown?: boolean;
    }
  | { readonly kind: "dead"; readonly reason: string };

/** Somewhere messages are handed on to. */
export interface Target extends AsyncDisposable {
  /** Messages of one call at most. */
  readonly maxMessages: number;
  /**
   * Hands messages over; resolves with one outcome for each element, in their
   * order. Ends soon after `signal` is aborted. A rejection is a fault of the
   * target as a whole: all are tried again.
   */
  deliver(batch: HandedBatch, signal: AbortSignal): Promise<readonly TargetOutcome[]>;
}

/** The target can't be used now, for any message. */
export function downOutcome(reason: string, afterMs?: number): TargetOutcome {
  return { kind: "retry", reason, afterMs, isTargetDown: true };
}

/** What an error says, with its code where neither the message nor our own words have it; at most 300 characters. */
export function describeError(error: unknown): string {
  if (wordSystemError(error) !== undefined) return shorten(wordError(error));
  if (!(error instanceof Error)) return shorten(String(error));
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const text = error.message || error.name;
  return shorten(code === "" || text.includes(code) ? text : `${code}: ${text}`);
}

const maxReasonLength = 300;

/** On one line and not long: reasons stand in lists. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxReasonLength ? `${line.slice(0, maxReasonLength)}…` : line;
}
