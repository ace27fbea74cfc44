import { isUserIdName, userIdNames } from "../../../base/record/user-ids.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { quote, quoteList } from "../../../base/text/quote.ts";
import type { EventUserDownloadQuery, EventUserQuery } from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { Buckets, KeyValue, Measure, ProjectSchema, UserScan } from "../../../store/events/events.ts";
import { intervalLabels, keyOf, overallLabels } from "../text-form.ts";
import { eventTime } from "./column/column.ts";
import { propertyNames } from "./column/property-column.ts";
import { allOf, join } from "./context.ts";
import type { DescribedAxes } from "./describe.ts";
import { type EventPlan, zoneSteps } from "./event-plan.ts";
import type { PlannedKey } from "./group-by.ts";
import { queryLimits } from "./limits.ts";
import type { OperandEvents } from "./metric/operand.ts";
import { createProblems, type Problems, warnUnknown } from "./problems.ts";
import type { PlannedBucket } from "./time/period.ts";
import type { LocalRange } from "./time/range.ts";
import { findBuckets, listLabels, type OutsideAxis } from "./time/slice-date.ts";
import { overlappingBuckets, windowOf } from "./time/window.ts";

export type SliceQuery = EventUserQuery | EventUserDownloadQuery;

/** Checks the index of the metric whose users are requested. */
export function checkEventIndex({ eventIndex, events }: SliceQuery, problems: Problems): void {
  if (eventIndex === undefined) problems.refuse("eventIndex", undefined, "is required");
  else if (events.length === 0) return;
  else if (eventIndex < 0 || eventIndex >= events.length) {
    problems.refuse(
      "eventIndex",
      eventIndex,
      `must be the index of a metric, from 0 to ${events.length - 1}`,
    );
  }
}

/** Checks the group and the bucket whose users are requested, as far as the axes are known. */
export function checkSlice(
  query: SliceQuery,
  axes: DescribedAxes | undefined,
  problems: Problems,
  outsideAxis: OutsideAxis,
): void {
  const { periods, keys = [], split } = axes ?? {};
  if (periods !== undefined) findBuckets(periods, query, problems, outsideAxis);
  const isKnown = (key: PlannedKey | undefined): key is PlannedKey => key !== undefined;
  if (axes !== undefined && keys.every(isKnown)) readSlice(keys, splitOf(query, split), query, problems);
}

/** Checks the selected columns; warns of columns that were never reported, which are empty. */
export function checkColumns(columns: readonly string[], schema: ProjectSchema, problems: Problems): void {
  const { length } = columns;
  if (length === 0 || length > queryLimits.selectedColumns) {
    problems.refuse(
      "selectedColumns",
      undefined,
      `must name 1 to ${queryLimits.selectedColumns} columns, not ${length}`,
    );
  }
  const known = () => [...userIdNames, ...propertyNames(schema, "user")];
  for (const [i, name] of columns.slice(0, queryLimits.selectedColumns).entries()) {
    const field = `selectedColumns[${i}]`;
    const isKnown = isUserIdName(name) || schema.properties.has(`user:${name.toLowerCase()}`);
    if (name === "") problems.refuse(field, name, "must be the name of a user property");
    else if (!isKnown) warnUnknown(problems, field, { ...unknownColumn, name, known });
  }
}

const unknownColumn = { what: "user property", effect: "it has no values" } as const;

/**
 * Compiles the scan for the users of one number of a result: the users of the events from which it was computed.
 * Returns undefined when the metric has no events, or the range lacks the step.
 * @param plan of the result, with its keys cut into intervals. @throws AnalysisRefusal
 */
export function compileUserScan(
  plan: EventPlan,
  query: SliceQuery,
): Omit<UserScan, "properties"> | undefined {
  const problems = createProblems();
  const buckets = findBuckets(plan.periods, query, problems);
  const { keys, group } = readSlice(plan.keys, splitOf(query, plan.split), query, problems);
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
      caller: plan.caller,
      trace: plan.trace,
      zone: zoneSteps(plan, all),
      buckets: all,
      keys: keys.map(({ key }) => key),
      measures: operands.map((operand, i) => measureOf(operand, isOneReach ? [] : reaches[i]!)),
      totals: false,
    },
    group,
  };
}

/** @param reach local times, where operands differ in them */
function measureOf({ events, where }: OperandEvents, reach: readonly LocalRange[]): Measure {
  const times = reach.map(({ startMs, endMs }) =>
    allOf([
      { kind: "compare", operator: ">=", left: eventTime, right: { kind: "number", value: startMs } },
      { kind: "compare", operator: "<", left: eventTime, right: { kind: "number", value: endMs } },
    ]),
  );
  return { events, where: allOf([where, join("or", times, true)]), aggregate: { kind: "count" } };
}

/** Joins successive buckets to one. */
function joinBuckets(buckets: readonly PlannedBucket[]): Buckets {
  const [first, last] = [buckets[0]!, buckets.at(-1)!];
  return {
    startMs: first.startMs,
    endMs: last.endMs,
    localEdges: [first.local.startMs, last.local.endMs],
  };
}

/** Returns the split of the requested metric; undefined where it is not split. */
function splitOf(
  { events, eventIndex = 0 }: SliceQuery,
  split: PlannedKey | undefined,
): PlannedKey | undefined {
  const isSplit = (events[eventIndex]?.eventSplitIndexes.length ?? 0) > 0;
  return isSplit ? split : undefined;
}

interface Slice {
  readonly keys: readonly PlannedKey[];
  /** One value for each key. */
  readonly group: readonly KeyValue[];
}

/** Reads the group that the labels name; a label of the split may follow. */
function readSlice(
  keys: readonly PlannedKey[],
  split: PlannedKey | undefined,
  { sliceGroupVal }: SliceQuery,
  problems: Problems,
): Slice {
  const labels = sliceGroupVal.map(({ value }) => (value.case === "label" ? value.value : null));
  // A label may name the only group of a query without group keys.
  const isOverall = keys.length === 0 && overallLabels.includes(labels[0] ?? "");
  const lead = isOverall && labels.length <= (split === undefined ? 1 : 2) ? 1 : 0;
  const own = labels.slice(lead);
  const isOfSplit = split !== undefined && own.length === keys.length + 1;
  if (!isOfSplit && own.length !== keys.length) {
    refuseLength(keys, split, labels.length, problems);
    return { keys, group: [] };
  }
  const all = isOfSplit ? [...keys, split] : keys;
  return { keys: all, group: all.map((key, i) => readLabel(key, own[i]!, i + lead, problems)) };
}

function refuseLength(
  keys: readonly PlannedKey[],
  split: PlannedKey | undefined,
  found: number,
  problems: Problems,
): void {
  const isOverall = keys.length === 0;
  const of = isOverall ? "" : `, for ${quoteList(keys.map(({ name }) => name))}`;
  const other = isOverall ? `, or ${quoteList(overallLabels)}` : "";
  const more =
    split === undefined ? "" : `; one more may follow, the value of the split ${quote(split.name)}`;
  const number = exactCountOf(keys.length, "label");
  problems.refuse("sliceGroupVal", undefined, `must have ${number}${of}, not ${found}${other}${more}`);
}

function readLabel(
  { form, name, needsSummary }: PlannedKey,
  label: string | null,
  place: number,
  problems: Problems,
): KeyValue {
  // The labels are known only after the summary is read.
  if (label === null || needsSummary) return null;
  const value = keyOf(form, label);
  if (value === undefined) {
    const valid = form.kind === "intervals" ? `one of ${listLabels(intervalLabels(form))}` : forms[form.kind];
    problems.refuse(`sliceGroupVal[${place}]`, label, `must be a label of ${quote(name)}: ${valid}`);
  }
  return value ?? null;
}

const forms = {
  text: "a text",
  number: "a number",
  boolean: '"true" or "false"',
  time: "a time as yyyy-MM-dd HH:mm:ss",
} as const;

/** Returns the local times that an operand counts for these buckets, ascending and disjoint. */
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
