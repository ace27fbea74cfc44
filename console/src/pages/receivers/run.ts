import type {
  CheckReceiverResponse,
  CheckSummary,
  Probe,
  ProbeResult,
} from "../../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import { ProbeOutcome, ProbeSeverity } from "../../../../gen/engage/channel/v1/receiver_checker_pb.ts";

/** What is known of a run so far. */
export interface Run {
  readonly probes: readonly Probe[];
  /** Results in the order of the probes. */
  readonly results: readonly ProbeResult[];
  readonly summary: CheckSummary | undefined;
}

export const emptyRun: Run = { probes: [], results: [], summary: undefined };

/** Adds a step to a run. Steps of a newer server are ignored. */
export function withStep(run: Run, { step }: CheckReceiverResponse): Run {
  switch (step.case) {
    case "plan":
      return { ...run, probes: step.value.probes };
    case "result":
      return { ...run, results: [...run.results, step.value] };
    case "summary":
      return { ...run, summary: step.value };
    default:
      return run;
  }
}

/** The states of a probe, with the names of their texts. */
export type ProbeState =
  | "waiting"
  | "running"
  | "passed"
  | "broken"
  | "recommended"
  | "noted"
  | "skipped"
  | "cancelled";

export interface ProbeRow {
  readonly id: string;
  readonly title: string;
  readonly state: ProbeState;
  readonly detail: string;
}

/** Returns all probes with their states. @param isRunning whether more results may come */
export function rowsOf({ probes, results }: Run, isRunning: boolean): readonly ProbeRow[] {
  return probes.map(({ probeId: id, title }, i) => {
    const result = results[i];
    if (result !== undefined) return { id, title, state: stateOf(result), detail: result.detail };
    if (!isRunning) return { id, title, state: "cancelled", detail: "" };
    return { id, title, state: i === results.length ? "running" : "waiting", detail: "" };
  });
}

export function stateOf({ outcome, probe }: ProbeResult): ProbeState {
  if (outcome === ProbeOutcome.PASSED) return "passed";
  if (outcome !== ProbeOutcome.FAILED) return "skipped";
  if (probe?.severity === ProbeSeverity.INFO) return "noted";
  return probe?.severity === ProbeSeverity.SHOULD ? "recommended" : "broken";
}

/** The results with a fault: those of rules that a receiver must keep come first. */
export function faultsOf({ results }: Run): readonly ProbeResult[] {
  return results
    .filter(({ failure }) => failure !== undefined)
    .toSorted((a, b) => (a.probe?.severity ?? 0) - (b.probe?.severity ?? 0));
}
