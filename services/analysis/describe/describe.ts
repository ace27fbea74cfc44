import { create } from "@bufbuild/protobuf";
import { floorToDay } from "../../../base/time/local-time.ts";
import { type EventView, EventViewSchema } from "../../../gen/engage/analysis/v1/event_view_pb.ts";
import type { EventQuery } from "../../../gen/engage/analysis/v1/query_pb.ts";
import { WarningReason } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { CohortInfo, ProjectSchema } from "../../../store/events/events.ts";
import type { AnyQuery } from "../engine.ts";
import type { ProjectDefinitions } from "../project/definitions.ts";
import { describeFilter, describeFilters } from "./condition/filter.ts";
import type { DescribeContext, ImportedCohort } from "./context.ts";
import { displayNameOf, type EventPlan, type PlannedMetric } from "./event-plan.ts";
import { describeSplit, warnOfSplit } from "./event-split.ts";
import { describeGroupBy, type PlannedKey } from "./group-by.ts";
import { queryLimits } from "./limits.ts";
import { createMeasureSet, type MeasureSet } from "./metric/measure-set.ts";
import { describeMetric } from "./metric/metric.ts";
import type { Computation, OperandEvents } from "./metric/operand.ts";
import { planPresence } from "./metric/presence.ts";
import { assignResultKeys } from "./metric/result-key.ts";
import {
  createProblems,
  type Problems,
  type ReportUndeclared,
  warnNoEffect,
  warnUndeclared,
} from "./problems.ts";
import { describePeriods } from "./time/compared-range.ts";
import type { Period } from "./time/period.ts";
import {
  maxOffsetHours,
  minOffsetHours,
  type QueryZone,
  toLocal,
  zoneOfOffset,
  zoneOfProject,
} from "./time/zone.ts";

/** The project in which a query is described. */
export interface QuerySource {
  readonly project: ProjectDefinitions;
  readonly schema: ProjectSchema;
  readonly cohorts: readonly CohortInfo[];
  readonly nowMs: number;
  /** Default: warns. */
  readonly reportUndeclared?: ReportUndeclared;
}

/** The axes of a result, as far as they could be read. */
export interface DescribedAxes {
  readonly periods: readonly Period[] | undefined;
  readonly keys: readonly (PlannedKey | undefined)[];
  /** Undefined without a split and when it could not be read. */
  readonly split: PlannedKey | undefined;
}

/** Checks the members that only one kind of query has. @param axes undefined without a view */
export type CheckQuery = (problems: Problems, axes: DescribedAxes | undefined) => void;

/**
 * Turns a query into a plan: what has to be computed for it. @throws AnalysisRefusal with all faults of the query
 *
 * `time/` resolves ranges (also the compared one, `compared-range.ts`), zones and steps, `column/` finds columns,
 * `condition/` reads filters, `metric/` plans the measures of metrics, `group-by.ts` and `event-split.ts` the keys.
 * `problems.ts` collects refusals and warnings,
 * `context.ts` has what all parts share, `event-plan.ts` the plan, `user-slice.ts` the users of one number of a result.
 */
export function describeQuery(query: AnyQuery, source: QuerySource, check: CheckQuery = () => {}): EventPlan {
  const problems = createProblems();
  for (const path of query.ignoredFields) {
    // The path of a member may be followed by its unknown value.
    const field = /^\S+\.format(?= )/.exec(path)?.[0] ?? path;
    problems.warn(WarningReason.IGNORED_FIELD, field, `${path} is unknown and was ignored`);
  }
  const context = createContext(query, source, problems);
  const view = query.eventView;
  if (view === undefined) problems.refuse("eventView", undefined, "is required");
  const axes = view && describeAxes(view, context);
  const plan = describeView(query, view ?? create(EventViewSchema), axes, context);
  check(problems, axes);
  problems.throwIfAny();
  if (plan === undefined) throw new Error("a query without problems must have a plan");
  return { ...plan, warnings: problems.warnings };
}

export function createContext(
  query: Pick<AnyQuery, "zoneOffset">,
  source: QuerySource,
  problems: Problems,
): DescribeContext {
  const { project, schema, cohorts, nowMs, reportUndeclared = warnUndeclared } = source;
  const zone = zoneOf(query.zoneOffset, project, problems);
  return {
    project,
    schema,
    importedCohorts: importedByName(cohorts),
    reportUndeclared: reportUndeclared,
    zone,
    today: { localMs: floorToDay(toLocal(zone, nowMs)), weekStart: project.weekStart },
    problems,
    describeFilter,
    definitions: [],
    counts: { conditions: 0, literals: 0, operands: 0, patternSteps: 0, readsLocalProperties: false },
  };
}

function importedByName(cohorts: readonly CohortInfo[]): DescribeContext["importedCohorts"] {
  const byName = new Map<string, ImportedCohort>();
  for (const { name, kind, day } of cohorts) {
    byName.set(name, { kind, days: [...(byName.get(name)?.days ?? []), day].sort() });
  }
  return byName;
}

function zoneOf(hours: number | undefined, project: ProjectDefinitions, problems: Problems): QueryZone {
  if (hours === undefined) return zoneOfProject(project.zone);
  if (hours >= minOffsetHours && hours <= maxOffsetHours) return zoneOfOffset(hours);
  const rule = `must be a number of hours from ${minOffsetHours} to ${maxOffsetHours}`;
  problems.refuse("zoneOffset", hours, rule);
  return zoneOfOffset(0);
}

function describeAxes(view: EventView, context: DescribeContext): DescribedAxes {
  const periods = describePeriods(view, context);
  if (view.queryFeature?.globalQueryOn === true) {
    warnNoEffect(context.problems, "eventView.queryFeature.globalQueryOn", "true has no effect");
  }
  return { periods, keys: describeKeys(view, context), split: describeSplit(view, context) };
}

function describeView(
  query: AnyQuery,
  view: EventView,
  axes: DescribedAxes | undefined,
  context: DescribeContext,
): EventPlan | undefined {
  const { counts, zone } = context;
  const { periods, keys = [], split } = axes ?? {};
  const measures = createMeasureSet();
  const hasKeys = view.groupBy.length > 0;
  const metrics = describeMetrics(query, view, { measures, hasKeys, split }, context);
  if (periods === undefined || metrics.includes(undefined) || keys.includes(undefined)) return undefined;
  return {
    projectId: context.project.id,
    caller: undefined,
    zone,
    periods,
    keys: keys as readonly PlannedKey[],
    split,
    metrics: metrics as readonly PlannedMetric[],
    scans: measures.scans,
    readsLocalProperties: counts.readsLocalProperties,
    warnings: [],
  };
}

function describeKeys(view: EventView, context: DescribeContext): readonly (PlannedKey | undefined)[] {
  const { groupBy } = view;
  if (groupBy.length > queryLimits.groupBy) {
    const rule = `has ${groupBy.length} properties, at most ${queryLimits.groupBy} are possible`;
    context.problems.refuse("eventView.groupBy", undefined, rule);
    return [undefined];
  }
  return groupBy.map((one, i) => describeGroupBy(one, `eventView.groupBy[${i}]`, context));
}

interface MetricSurroundings {
  readonly measures: MeasureSet;
  readonly hasKeys: boolean;
  readonly split: PlannedKey | undefined;
}

function describeMetrics(
  query: AnyQuery,
  view: EventView,
  { measures, hasKeys, split }: MetricSurroundings,
  context: DescribeContext,
): readonly (PlannedMetric | undefined)[] {
  const { events } = query;
  const { problems } = context;
  const where = describeFilters(view, "eventView", context);
  if (events.length === 0) problems.refuse("events", undefined, "must have at least one metric");
  if (events.length > queryLimits.metrics) {
    const rule = `has ${events.length} metrics, at most ${queryLimits.metrics} are possible`;
    problems.refuse("events", undefined, rule);
    return [undefined];
  }
  const described = events.map((metric, i) => {
    const isSplit = split !== undefined && metric.eventSplitIndexes.length > 0;
    const operands: OperandEvents[] = [];
    const parts = { measures, operands, isSplit, eventNames: new Set<string>() };
    const computation = describeMetric(metric, `events[${i}]`, where, parts, context);
    return { isSplit, operands, computation, eventNames: parts.eventNames };
  });
  const splits = described.map(({ eventNames }, i) => ({
    eventNames,
    splitIndexes: events[i]!.eventSplitIndexes,
  }));
  warnOfSplit(view, splits, problems);
  const presence = planPresence(
    described.map(({ operands, isSplit }) => (hasKeys || isSplit ? operands : [])),
    measures,
  );
  const resultKeys = assignResultKeys(events, "useSameResultKey" in query && query.useSameResultKey);
  return described.map(({ computation, isSplit, operands }, index) => {
    const metric = events[index]!;
    const resultKey = resultKeys[index]!;
    const displayName = displayNameOf(metric, resultKey);
    const { eventUuid: uuid, format } = metric;
    if (computation === undefined) return undefined;
    return {
      index,
      uuid,
      resultKey,
      displayName,
      format,
      computation: computation as Computation,
      presence: presence[index]!,
      isSplit,
      operands,
    };
  });
}

/** Checks the limit of groups and the time limit. */
export function checkLimit({ limit, timeoutSeconds }: EventQuery, problems: Problems): void {
  if (limit !== undefined && (limit < 1 || limit > queryLimits.groups)) {
    problems.refuse("limit", limit, `must be a whole number from 1 to ${queryLimits.groups}`);
  }
  checkTimeout(timeoutSeconds, problems);
}

export function checkTimeout(seconds: number | undefined, problems: Problems): void {
  if (seconds !== undefined && seconds < 1) problems.refuse("timeoutSeconds", seconds, "must be above 0");
}
