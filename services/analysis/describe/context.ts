import type { Filter } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import type { CohortInfo, Predicate, ProjectSchema } from "../../../store/events/events.ts";
import type { ProjectDefinitions } from "../project/definitions.ts";
import type { Problems, ReportUndeclared } from "./problems.ts";
import type { Today } from "./time/range.ts";
import type { QueryZone } from "./time/zone.ts";

export interface ImportedCohort {
  readonly kind: CohortInfo["kind"];
  /** Days of its versions, `yyyy-MM-dd`, ascending. */
  readonly days: readonly string[];
}

/** The context in which all parts of one query are described. */
export interface DescribeContext {
  readonly project: ProjectDefinitions;
  readonly schema: ProjectSchema;
  /** Imported cohorts and tags, by name. */
  readonly importedCohorts: ReadonlyMap<string, ImportedCohort>;
  readonly reportUndeclared: ReportUndeclared;
  readonly zone: QueryZone;
  readonly today: Today;
  readonly problems: Problems;
  /** Describes the conditions of definitions. */
  readonly describeFilter: (filter: Filter, field: string, context: DescribeContext) => Predicate | undefined;
  /** Names of the definitions that are being described, outermost first. */
  readonly definitions: readonly string[];
  /** Counts of this query so far. */
  readonly counts: {
    conditions: number;
    literals: number;
    operands: number;
    patternSteps: number;
    readsLocalProperties: boolean;
  };
}

export function allOf(predicates: readonly Predicate[]): Predicate {
  return join("and", predicates, true);
}

/** @param whenEmpty result for an empty list */
export function join(kind: "and" | "or", predicates: readonly Predicate[], whenEmpty: boolean): Predicate {
  const decisive = kind === "or";
  const open = predicates.filter((one) => one.kind !== "always" || one.value === decisive);
  const decided = open.find((one) => one.kind === "always");
  if (decided !== undefined) return decided;
  if (open.length === 0) return { kind: "always", value: predicates.length === 0 ? whenEmpty : !decisive };
  return open.length === 1 ? open[0]! : { kind, of: open };
}

export const never: Predicate = { kind: "always", value: false };
export const always: Predicate = { kind: "always", value: true };

export function negate(predicate: Predicate): Predicate {
  if (predicate.kind === "always") return { kind: "always", value: !predicate.value };
  return predicate.kind === "not" ? predicate.of : { kind: "not", of: predicate };
}
