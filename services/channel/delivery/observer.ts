import type { Outcome } from "../../../store/channels/channels.ts";

/** What is told of delivery, for logs and metrics. */
export interface DeliveryObserver {
  /** Something failed that is tried again. */
  failed(what: string, error: unknown): void;
  attempted(attempt: Attempted): void;
  prepared(runId: string): void;
  /** It can't be prepared. */
  refused(runId: string, error: unknown): void;
}

export interface Attempted {
  readonly channelId: string;
  readonly runId: string;
  readonly number: number;
  readonly messages: number;
  readonly outcome: Outcome["kind"];
  /** Of a failure. */
  readonly reason: string | undefined;
  /** Answers taken although something was not right say what. */
  readonly warnings: readonly string[];
  readonly durationMs: number;
}
