import type { Panel } from "./panels.ts";

/** A dashboard as its rows, from top to bottom. */
export interface DashboardPlan {
  /** The name of its file, and of its page in Grafana. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}
