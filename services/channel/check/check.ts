import type { Finding, Probe, Severity } from "./probe.ts";
import { probes } from "./probes.ts";
import { createSession, type SessionOptions } from "./session.ts";
import { showAnswer, showRequest } from "./show.ts";

export interface CheckOptions extends SessionOptions {
  /** Ids of probes to leave out. */
  readonly skip: readonly string[];
}

export interface ProbeResult {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly outcome: Finding["kind"];
  /** What was found, why it was left out, or how fast it was. */
  readonly detail: string;
  readonly durationMs: number;
  /** Of a failed probe. */
  readonly failure?: {
    readonly sent: string;
    readonly answered: string;
    /** What the specification says. */
    readonly rule: string;
    readonly change: string;
  };
}

/**
 * Asks a receiver about every rule, one probe after the other. Sends messages
 * for reserved push ids only; nothing else is known of the receiver, so how it
 * treats its users stays unseen.
 * @param onResult is told of each probe when it is done
 */
export async function checkReceiver(
  options: CheckOptions,
  onResult: (result: ProbeResult) => void = () => undefined,
): Promise<readonly ProbeResult[]> {
  const session = createSession(options);
  const results = new Map<string, ProbeResult>();
  const blocked = new Set<string>();
  for (const probe of probes) {
    const startedMs = options.monotonicMs();
    const reason = reasonToSkip(probe, options, blocked);
    const finding: Finding =
      reason === undefined ? await probe.run(session) : { kind: "skipped", detail: reason };
    options.signal.throwIfAborted();
    const isMissed = finding.kind === "skipped" && !options.skip.includes(probe.id);
    if (finding.kind === "failed" || isMissed) blocked.add(probe.id);
    const result = toResult(probe, finding, options.monotonicMs() - startedMs);
    results.set(probe.id, result);
    onResult(result);
  }
  return [...results.values()];
}

function reasonToSkip(
  { id, after, needsSecret = false }: Probe,
  { skip, secret }: CheckOptions,
  blocked: ReadonlySet<string>,
): string | undefined {
  if (skip.includes(id)) return "left out as told";
  if (needsSecret && secret === undefined) return "there is no secret to sign with";
  const cause = after.find((one) => blocked.has(one));
  return cause === undefined ? undefined : `says nothing without ${cause}`;
}

function toResult(probe: Probe, finding: Finding, durationMs: number): ProbeResult {
  const { id, title, severity, rule, change } = probe;
  const { kind: outcome, detail } = finding;
  const result = { id, title, severity, outcome, detail, durationMs };
  if (finding.kind !== "failed") return result;
  const { exchanged } = finding;
  return {
    ...result,
    failure: { sent: showRequest(exchanged), answered: showAnswer(exchanged), rule, change },
  };
}

/** The ids, in the order in which they are asked. */
export const probeIds: readonly string[] = probes.map(({ id }) => id);
