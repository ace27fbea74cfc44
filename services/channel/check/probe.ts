import type { Exchanged, Session } from "./session.ts";

/**
 * How much a broken rule matters. `must`: messages are lost, forged or counted wrongly. `should`: the specification
 * recommends the rule, or the present platform does not depend on it. `info`: breaking it does no harm.
 */
export type Severity = "must" | "should" | "info";

/** One rule of the specification and the test of a receiver for it. */
export interface Probe {
  /** The name of the probe in reports and on the command line. */
  readonly id: string;
  /** What a correct receiver does. */
  readonly title: string;
  readonly severity: Severity;
  /** What the specification says. */
  readonly rule: string;
  /** What to change in a receiver that fails. */
  readonly change: string;
  /** Ids of probes that must pass first; otherwise this one would report the same fault again. */
  readonly after: readonly string[];
  /** Whether the probe signs batches and so needs a secret. */
  readonly needsSecret?: boolean;
  readonly run: (session: Session) => Promise<Finding>;
}

export type Finding =
  | { readonly kind: "passed"; readonly detail: string }
  /** `exchanged` is the call that shows the fault. */
  | { readonly kind: "failed"; readonly detail: string; readonly exchanged: Exchanged }
  | { readonly kind: "skipped"; readonly detail: string };

export function passed(detail = ""): Finding {
  return { kind: "passed", detail };
}

export function failed(exchanged: Exchanged, detail: string): Finding {
  return { kind: "failed", detail, exchanged };
}
