import type { AnalysisProject } from "./project/project.ts";
import { refusalOf } from "./refusal/call-error.ts";
import { returnCodes } from "./refusal/refusal.ts";

/** The calls of the service. */
export const operations = [
  "analyze",
  "list_users",
  "download",
  "download_users",
  "forward",
  "import_cluster",
  "list_clusters",
  "catalog",
  "saved_queries",
] as const;
export type Operation = (typeof operations)[number];

/** `none` for calls without a known project. */
export type EngineName = AnalysisProject["engineName"] | "none";

/** Source of a result: computed for this call, shared with a call at the same time, or cached. */
export type ResultSource = "engine" | "shared" | "cache";

/** Observes all calls. */
export interface AnalysisObserver {
  started(operation: Operation): void;
  resultSent(operation: Operation, source: ResultSource): void;
  /** @param outcome `ok`, or a word for the kind of error */
  finished(operation: Operation, engine: EngineName, outcome: string, seconds: number): void;
}

const words: Readonly<Record<number, string>> = {
  [returnCodes.internal]: "internal",
  [returnCodes.parameter]: "parameter",
  [returnCodes.token]: "token",
  [returnCodes.timeout]: "timeout",
  [returnCodes.busy]: "busy",
  [returnCodes.unavailable]: "unavailable",
  [returnCodes.noToken]: "no_token",
};

/** @param signal of the caller, which may have cancelled the call */
export function outcomeOf(error: unknown, signal: AbortSignal): string {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return words[refusal.returnCode] ?? "other";
  return signal.aborted ? "cancelled" : "internal";
}
