import type { Outcome } from "../../../store/channels/channels.ts";

/** Receives the events of delivery, for logs and metrics. */
export interface DeliveryObserver {
  /** An operation failed and will be retried. */
  failed(what: string, error: unknown): void;
  attempted(attempt: Attempted): void;
  prepared(runId: string): void;
  /** A run cannot be prepared. */
  refused(runId: string, error: unknown): void;
}

export interface Attempted {
  readonly channelId: string;
  readonly runId: string;
  readonly number: number;
  readonly messages: number;
  readonly outcome: Outcome["kind"];
  /** Reason of a failure. */
  readonly reason: string | undefined;
  /** Faults of an accepted reply. */
  readonly warnings: readonly string[];
  readonly durationMs: number;
  /** The trace of the run; undefined: none. */
  readonly traceId?: string | undefined;
}
