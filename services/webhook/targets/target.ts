import type { WorkItem } from "../../../store/inbox/inbox.ts";

/** Messages of a batch that are delivered to a target together. */
export type HandedBatch = Omit<
  WorkItem,
  "token" | "leaseUntilMs" | "lastReason" | "acceptedClockMs" | "isSuspect"
>;

/** The outcome of a message in a call of a target. */
export type TargetOutcome =
  | { readonly kind: "done" }
  | {
      readonly kind: "retry";
      readonly reason: string;
      /** The least delay, if the target requested one. */
      readonly afterMs?: number | undefined;
      /** Whether the target as a whole is down, so that other messages would fail too. */
      readonly isTargetDown?: boolean;
    }
  | { readonly kind: "dead"; readonly reason: string };

/** The answer of a target to a call, as far as it is text. */
export interface TargetAnswer {
  readonly status: number;
  /** The beginning of the answer, without the secrets that the call contained. */
  readonly text: string;
}

/** A system that messages are delivered to. */
export interface Target extends AsyncDisposable {
  /** Messages of one call. */
  readonly maxMessages: number;
  /**
   * Delivers messages; resolves with the outcome of each element, in their order. Ends soon after `signal` is aborted.
   * A rejection means that the target as a whole is down: all messages are retried.
   * @param answered is called with the answer of a target which has one
   */
  deliver(
    batch: HandedBatch,
    signal: AbortSignal,
    answered?: (answer: TargetAnswer) => void,
  ): Promise<readonly TargetOutcome[]>;
}

/** Creates the outcome of a target that is down. */
export function downOutcome(reason: string, afterMs?: number): TargetOutcome {
  return { kind: "retry", reason, afterMs, isTargetDown: true };
}

/** Splits a batch into parts of at most `maxMessages` messages. */
export function splitBatch(batch: HandedBatch, maxMessages: number): readonly HandedBatch[] {
  const { elements } = batch;
  if (elements.length <= maxMessages) return [batch];
  const count = Math.ceil(elements.length / maxMessages);
  return Array.from({ length: count }, (_, at) => ({
    ...batch,
    elements: elements.slice(at * maxMessages, (at + 1) * maxMessages),
  }));
}

export function indexesOf({ elements }: HandedBatch): readonly number[] {
  return elements.map(({ index }) => index);
}
