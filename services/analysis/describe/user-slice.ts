import type { EventUserDownloadQuery, EventUserQuery } from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { GroupValue } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { Buckets, KeyValue, Measure, ProjectSchema, UserScan } from "../../../store/events/events.ts";
import { intervalLabels, keyOf, overallLabels } from "../text-form.ts";
import { quoteAll } from "../words.ts";
import { eventTime } from "./column.ts";
import { allOf, join } from "./context.ts";
import { type EventPlan, zoneSteps } from "./event-plan.ts";
import type { DescribedAxes } from "./event-query.ts";
import type { PlannedKey } from "./group-by.ts";
import { queryLimits } from "./limits.ts";
import type { OperandEvents } from "./operand.ts";
import type { PlannedBucket } from "./period.ts";
import { createProblems, type Problems, quote, warnUnknown } from "./problems.ts";
import type { LocalRange } from "./range.ts";
import { findBuckets, listLabels, type TellOutside } from "./slice-date.ts";
import { overlappingBuckets, windowOf } from "./window.ts";

export type SliceQuery = EventUserQuery | EventUserDownloadQuery;

/** The metric whose users are asked for. */
export function checkEventIndex({ eventIndex, events }: SliceQuery, problems: Problems): void {
  if (eventIndex === undefined) problems.refuse("eventIndex", undefined, "is required");
  else if (events.length === 0) return;
  else if (eventIndex < 0 || eventIndex >= events.length) {
    problems.refuse(
      "eventIndex",
      eventIndex,
      `must be the number of a metric, from 0 to ${events.length - 1}`,
    );
  }
}

/** The group and the bucket whose users are asked for, as far as the axes are known. */
export function checkSlice(
  query: SliceQuery,
  axes: DescribedAxes | undefined,
  problems: Problems,
  tellOutside: TellOutside,
): void {
  const { periods, keys = [] } = axes ?? {};
  if (periods !== undefined) findBuckets(periods, query, problems, tellOutside);
  const isKnown = (key: PlannedKey | undefined): key is PlannedKey => key !== undefined;
  if (axes !== undefined && keys.every(isKnown)) readGroup(keys, query.sliceGroupVal, problems);
}

/** Columns that nobody has reported are empty. */
export function checkColumns(
  columns: readonly string[],
  { properties }: ProjectSchema,
  problems: Problems,
): void {
  const { length } = columns;
  if (length === 0 || length > queryLimits.selectedColumns) {
    problems.refuse(
      "selectedColumns",
      undefined,
      `must name 1 to ${queryLimits.selectedColumns} columns, not ${length}`,
    );
  }
  for (const [i, name] of columns.slice(0, queryLimits.selectedColumns).entries()) {
    const field = `selectedColumns[${i}]`;
    const isKnown = idColumns.has(name) || properties.has(`user:${name.toLowerCase()}`);
    if (name === "") problems.refuse(field, name, "must be the name of a user property");
    else if (!isKnown) warnUnknown(problems, field, "user property", name, "it has no values");
  }
}

const idColumns: ReadonlySet<string> = new Set(["#user_id", "#account_id", "#distinct_id"]);

/**
 * The users behind one number of a result: those of the events that the number
 * was computed of. Undefined when the metric has no events at all, or the range
 * not the step.
 * @param plan of the result, its keys cut into intervals. @throws AnalysisRefusal
 */
export function compileUserScan(
  plan: EventPlan,
  query: SliceQuery,
): Omit<UserScan, "properties"> | undefined {
  const problems = createProblems();
  const buckets = findBuckets(plan.periods, query, problems);
  const group = readGroup(plan.keys, query.sliceGroupVal, problems);
  problems.throwIfAny();
  const { operands } = plan.metrics[query.eventIndex!]!;
  if (operands.length === 0 || buckets.length === 0) return undefined;
  const reaches = operands.map(({ window }) => reachOf(buckets, window));
  const isOneReach = reaches.every((reach) => JSON.stringify(reach) === JSON.stringify(reaches[0]));
  const isPlain = operands.every(({ window }) => window === undefined);
  const all = isPlain ? joinBuckets(buckets) : overlappingBuckets(mergeRanges(reaches.flat()), plan.zone);
  return {
    scan: {
      projectId: plan.projectId,
      asker: plan.asker,
      zone: zoneSteps(plan, all),
      buckets: all,
      keys: plan.keys.map(({ key }) => key),
      measures: operands.map((operand, i) => measureOf(operand, isOneReach ? [] : reaches[i]!)),
      totals: false,
    },
    group,
  };
}

/** @param reach local times, where not all operands look at the same */
function measureOf({ events, where }: OperandEvents, reach: readonly LocalRange[]): Measure {
  const times = reach.map(({ startMs, endMs }) =>
    allOf([
      { kind: "compare", operator: ">=", left: eventTime, right: { kind: "number", value: startMs } },
      { kind: "compare", operator: "<", left: eventTime, right: { kind: "number", value: endMs } },
    ]),
  );
  return { events, where: allOf([where, join("or", times, true)]), aggregate: { kind: "count" } };
}

/** Buckets in a row as one. */
function joinBuckets(buckets: readonly PlannedBucket[]): Buckets {
  const [first, last] = [buckets[0]!, buckets.at(-1)!];
  return {
    startMs: first.startMs,
    endMs: last.endMs,
    localEdges: [first.local.startMs, last.local.endMs],
  };
}

function readGroup(
  keys: readonly PlannedKey[],
  given: readonly GroupValue[],
  problems: Problems,
): readonly KeyValue[] {
  const field = "sliceGroupVal";
  const labels = given.map(({ value }) => (value.case === "label" ? value.value : null));
  if (keys.length === 0 && labels.length === 1 && overallLabels.includes(labels[0] ?? "")) return [];
  if (labels.length !== keys.length) {
    const names =
      keys.length === 0 ? `, or ${quoteAll(overallLabels)}` : `: ${quoteAll(keys.map(({ name }) => name))}`;
    problems.refuse(
      field,
      undefined,
      `must hold ${keys.length} label${keys.length === 1 ? "" : "s"}, not ${labels.length}${names}`,
    );
    return [];
  }
  return keys.map(({ form, name, needsSpread }, i) => {
    const label = labels[i]!;
    // What labels there are is told by the spread.
    if (label === null || needsSpread) return null;
    const value = keyOf(form, label);
    if (value === undefined) {
      const valid =
        form.kind === "intervals" ? `one of ${listLabels(intervalLabels(form))}` : forms[form.kind];
      problems.refuse(`${field}[${i}]`, label, `must be a label of ${quote(name)}: ${valid}`);
    }
    return value ?? null;
  });
}

const forms = {
  text: "a text",
  number: "a number",
  boolean: '"true" or "false"',
  time: "a time as yyyy-MM-dd HH:mm:ss",
} as const;

/** The local times that an operand looks at for these buckets, in a row and apart from each other. */
function reachOf(buckets: readonly PlannedBucket[], window: OperandEvents["window"]): readonly LocalRange[] {
  return mergeRanges(buckets.map(({ local }) => (window === undefined ? local : windowOf(window, local))));
}

function mergeRanges(ranges: readonly LocalRange[]): readonly LocalRange[] {
  const merged: LocalRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last === undefined || range.startMs > last.endMs) merged.push(range);
    else merged[merged.length - 1] = { ...last, endMs: Math.max(last.endMs, range.endMs) };
  }
  return merged;
}
