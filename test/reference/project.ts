import type { WeekStart } from "./calendar.ts";

/** The declarations of a project. */
export interface ReferenceProject {
  readonly projectId: number;
  /** Hours east of UTC, or an IANA name. */
  readonly zone: number | string;
  readonly weekStart: WeekStart;
  readonly clusters: readonly ReferenceCluster[];
  /** The rest is as the configuration of a project has it. */
  readonly cohorts: Readonly<Record<string, ReferenceCondition>>;
  readonly tags: Readonly<Record<string, readonly ReferenceBranch[]>>;
  readonly dimensions: readonly ReferenceDimension[];
  readonly virtualProperties: Readonly<Record<string, ReferenceVirtual>>;
  /** Named metrics in the form of `events[]`. */
  readonly metrics: Readonly<Record<string, object>>;
}

/** An import: the version of one day. */
export interface ReferenceCluster {
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  readonly kind: "cohort" | "tag";
  readonly members: readonly ReferenceMember[];
}

export interface ReferenceMember {
  readonly accountId: string;
  readonly value?: string;
}

export interface ReferenceCondition {
  readonly relation?: "and" | "or";
  readonly filts: readonly object[];
}

export type ReferenceBranch = ReferenceCondition & { readonly value: string };

export interface ReferenceDimension {
  readonly property: string;
  readonly table: "event" | "user";
  /** Each has the property's value under the property's name. */
  readonly rows: readonly Readonly<Record<string, string>>[];
}

export type ReferenceVirtual = { readonly table: "event" | "user" } & (
  | { readonly expression: string }
  | { readonly of: string; readonly values: Readonly<Record<string, string>> }
  | { readonly first: readonly string[] }
  | { readonly cases: readonly ReferenceBranch[] }
);

export const plainProject: Omit<ReferenceProject, "projectId"> = {
  zone: 0,
  weekStart: "monday",
  clusters: [],
  cohorts: {},
  tags: {},
  dimensions: [],
  virtualProperties: {},
  metrics: {},
};
