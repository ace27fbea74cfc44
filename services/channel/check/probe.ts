import type { Exchanged, Session } from "./session.ts";

/**
 * must: the platform counts wrongly or a message is lost or forged. should: the
 * specification recommends it, or the platform of today does without.
 * info: worth knowing.
 */
export type Severity = "must" | "should" | "info";

/** One rule of the specification, and how a receiver is asked about it. */
export interface Probe {
  /** Names it in reports and on the command line. */
  readonly id: string;
  /** What a right receiver does. */
  readonly title: string;
  readonly severity: Severity;
  /** What the specification says. */
  readonly rule: string;
  /** What to change in a receiver that fails. */
  readonly change: string;
  /** Ids of probes without which this one would find their fault again. */
  readonly after: readonly string[];
  /** It is about signatures, so a secret is needed. */
  readonly needsSecret?: boolean;
  readonly run: (session: Session) => Promise<Finding>;
}

export type Finding =
  | { readonly kind: "passed"; readonly detail: string }
  /** `exchanged`: the call that shows it. */
  | { readonly kind: "failed"; readonly detail: string; readonly exchanged: Exchanged }
  | { readonly kind: "skipped"; readonly detail: string };

export function passed(detail = ""): Finding {
  return { kind: "passed", detail };
}

export function failed(exchanged: Exchanged, detail: string): Finding {
  return { kind: "failed", detail, exchanged };
}
