import type { Priority } from "./gate.ts";

/** When a call of a lane may begin, and when it ends. */
export interface CallTerms {
  readonly priority: Priority;
  /** The call does not begin when it is aborted. */
  readonly queueSignal: AbortSignal;
  /** Breaks the call off. */
  readonly signal: AbortSignal;
  /** Asked before the call begins. */
  readonly mayBegin?: (() => Promise<boolean>) | undefined;
  /** Called when it begins; what it returns, when it has ended. */
  readonly begun?: (() => () => void) | undefined;
}
