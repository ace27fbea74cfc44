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
