import { exactCountOf } from "../../../base/text/count.ts";
import type { Mask } from "../../../base/text/mask-secrets.ts";
import type { Finding, Probe, Severity } from "./probe.ts";
import { probes } from "./probes.ts";
import { createSession, type Exchanged, type SessionOptions } from "./session.ts";

export interface CheckOptions extends SessionOptions {
  /** Ids of probes to skip. */
  readonly skip: readonly string[];
}

export interface ProbeResult {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly outcome: Finding["kind"];
  /** What the probe found, why it was skipped, or how long the receiver took. */
  readonly detail: string;
  readonly durationMs: number;
  /** Set if the probe failed. */
  readonly failure?: {
    readonly sent: string;
    readonly answered: string;
    /** The rule of the specification that the receiver breaks. */
    readonly rule: string;
    readonly change: string;
  };
}

/**
 * Runs all probes on a receiver, one after the other. The probes send messages for reserved push ids only, so they
 * do not show how the receiver treats its users. Both `engage check` and the service ReceiverChecker (`checker.ts`)
 * call it.
 * @param onResult is called after each probe
 * @throws the reason of the signal
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
    const result = toResult(probe, finding, options.monotonicMs() - startedMs, session.mask);
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
  if (skip.includes(id)) return "excluded, as requested";
  if (needsSecret && secret === undefined) return "no secret to sign with";
  const cause = after.find((one) => blocked.has(one));
  return cause === undefined ? undefined : `depends on "${cause}"`;
}

/** @param mask applied to all that a receiver may have written */
function toResult(probe: Probe, finding: Finding, durationMs: number, mask: Mask): ProbeResult {
  const { id, title, severity, rule, change } = probe;
  const { kind: outcome, detail } = finding;
  const result = { id, title, severity, outcome, detail: mask(detail), durationMs };
  if (finding.kind !== "failed") return result;
  const { exchanged } = finding;
  return {
    ...result,
    failure: { sent: mask(showRequest(exchanged)), answered: showResponse(exchanged, mask), rule, change },
  };
}

/** Reports whether the receiver breaks a rule that it must keep, or with `strict` also one that it should keep. */
export function isBroken({ outcome, severity }: ProbeResult, strict: boolean): boolean {
  return outcome === "failed" && (severity === "must" || (strict && severity === "should"));
}

/** Numbers of probes. */
export interface CheckSums {
  readonly passed: number;
  /** Broken rules by severity: `must`, `should` and `info`. */
  readonly failed: number;
  readonly recommendations: number;
  readonly notes: number;
  readonly skipped: number;
}

export function sumResults(results: readonly ProbeResult[]): CheckSums {
  const count = (outcome: ProbeResult["outcome"], severity?: Severity): number =>
    results.filter(
      (result) => result.outcome === outcome && (severity === undefined || result.severity === severity),
    ).length;
  return {
    passed: count("passed"),
    failed: count("failed", "must"),
    recommendations: count("failed", "should"),
    notes: count("failed", "info"),
    skipped: count("skipped"),
  };
}

/** All probes, in the order in which they run. */
export const probeInfos: readonly Pick<Probe, "id" | "title" | "severity">[] = probes;

/** Ids of all probes, in the order in which they run. */
export const probeIds: readonly string[] = probes.map(({ id }) => id);

/** Characters of a body that are shown at most. */
const maxShown = 400;

/** Describes a request: what it is, its headers and the beginning of its body. It does not contain the secret. */
function showRequest({ what, headers, body }: Exchanged): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [what, ...named, cut(Buffer.from(body).toString("utf8"), body.length)].join("\n");
}

/** Describes the response of a receiver, or why there is none. */
function showResponse({ outcome, ms }: Exchanged, mask: Mask): string {
  const time = `after ${Math.round(ms)} ms`;
  if (outcome.kind !== "response") return `none ${time}: ${mask(outcome.message)}`;
  const { status, headers, text } = outcome;
  const location = headers["location"];
  return [
    `HTTP ${status} ${time}`,
    ...(location === undefined ? [] : [`location: ${mask(String(location))}`]),
    text === "" ? "(no body)" : cut(mask(text), Buffer.byteLength(text)),
  ].join("\n");
}

function cut(text: string, bytes: number): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}… (${exactCountOf(bytes, "byte")})` : text;
}
