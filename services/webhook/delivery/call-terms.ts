import type { Priority } from "./gate.ts";

/** The conditions under which a call of a lane begins and ends. */
export interface CallTerms {
  readonly priority: Priority;
  /** Prevents the call from beginning when it is aborted. */
  readonly queueSignal: AbortSignal;
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /** Reports whether the call may begin; called just before. */
  readonly mayBegin?: (() => Promise<boolean>) | undefined;
  /** Called when the call begins; returns a function that is called when it ends. */
  readonly begun?: (() => () => void) | undefined;
}
