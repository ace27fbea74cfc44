import type { WeekStart } from "./calendar.ts";

/** What a project declares beside its data. */
export interface ReferenceProject {
  readonly projectId: number;
  /** Hours east of UTC, or an IANA name. */
  readonly zone: number | string;
  readonly weekStart: WeekStart;
  readonly clusters: readonly ReferenceCluster[];
  /** By property, by column, by the property's value as text. */
  readonly dimensions: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  readonly virtualProperties: readonly ReferenceVirtual[];
  readonly metrics: readonly ReferenceMetric[];
}

/** The version of one day. */
export interface ReferenceCluster {
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  readonly kind: "cohort" | "tag";
  readonly members: readonly ReferenceMember[];
}

export interface ReferenceMember {
  readonly accountId?: string;
  readonly distinctId?: string;
  readonly value?: string;
}

/** `name` is without `#vp@`. */
export interface ReferenceVirtual {
  readonly name: string;
  readonly tableType: "event" | "user";
  readonly of: VirtualExpression;
}

export type VirtualExpression =
  | { readonly column: string; readonly tableType?: "event" | "user" }
  | { readonly number: number }
  | { readonly text: string }
  | {
      readonly operator: "+" | "-" | "*" | "/";
      readonly left: VirtualExpression;
      readonly right: VirtualExpression;
    }
  | { readonly first: readonly VirtualExpression[] }
  | { readonly cases: readonly { readonly when: object; readonly text: string }[] };

/** A metric by name: the members of `events[i]` that say what it computes. */
export interface ReferenceMetric {
  readonly name: string;
  readonly of: object;
}

export const plainProject: Omit<ReferenceProject, "projectId"> = {
  zone: 0,
  weekStart: "monday",
  clusters: [],
  dimensions: {},
  virtualProperties: [],
  metrics: [],
};
