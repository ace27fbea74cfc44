/** A rule that has a result in trouble, and what its reader does then. */
export interface Alert {
  /** Unique; the heading of its part of the runbook. */
  readonly name: string;
  /** critical: data or calls are lost now. warning: some are, or will be if nothing is done. */
  readonly severity: "critical" | "warning";
  /** How long the trouble lasts before the alert fires: `5m`. */
  readonly lasts: string;
  /** PromQL. Its figures are to be adapted to a deployment. */
  readonly expression: string;
  /** What has happened, in one sentence. */
  readonly meaning: string;
  /** What to look at and to do, in Markdown whose links begin in `docs/reference/`. */
  readonly actions: string;
}

export interface AlertGroup {
  /** The subject, as the page of metrics names it. */
  readonly title: string;
  readonly alerts: readonly Alert[];
}
