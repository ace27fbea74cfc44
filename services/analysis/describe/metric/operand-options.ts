import { wordOf } from "../../../../base/protobuf/enum-words.ts";
import { AggregationSchema, type EventMetric } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { Expression, Predicate } from "../../../../store/events/events.ts";
import { describeType } from "../column/column.ts";
import { findColumn } from "../column/find-column.ts";
import { describeFilters } from "../condition/filter.ts";
import type { DescribeContext } from "../context.ts";
import { warnNoEffect } from "../problems.ts";
import { describeWindow, type Window } from "../time/window.ts";
import type { OperandName } from "./formula.ts";
import { countsUsers } from "./operand.ts";

/** The options of a metric for one of its operands. */
export interface OperandOptions {
  readonly where?: Predicate | undefined;
  /** The entity that is counted as a user. */
  readonly entity?: Expression | undefined;
  readonly window?: Window | undefined;
}

export const userId: Expression = { kind: "builtin", name: "user_id" };

/** Returns the options of each operand. @param operands undefined when the formula was refused */
export function describeOperandOptions(
  metric: EventMetric,
  operands: readonly OperandName[] | undefined,
  field: string,
  context: DescribeContext,
): readonly OperandOptions[] {
  const count = operands?.length;
  const marks = Array.from({ length: count ?? 0 }, (): OperandOptions => ({}));
  const mark = <K extends keyof OperandOptions>(
    key: K,
    list: string,
    entries: readonly Entry<OperandOptions[K]>[],
  ) => {
    for (const [i, { index, value }] of entries.entries()) {
      const path = `${field}.${list}[${i}].index`;
      if (!checkIndex(index, count, path, context) || count === undefined) continue;
      if (marks[index]![key] === undefined) marks[index] = { ...marks[index], [key]: value };
      else context.problems.refuse(path, index, "must not be named twice");
    }
  };
  mark("where", "customFilters", readFilters(metric, field, context));
  mark("entity", "quotaEntities", readEntities(metric, field, context));
  mark("window", "quotaTimeRanges", readWindows(metric, field, context));
  warnOfEntities(metric, operands ?? [], field, context);
  for (const [i, index] of metric.eventSplitIndexes.entries()) {
    checkIndex(index, count, `${field}.eventSplitIndexes[${i}]`, context);
  }
  return marks;
}

/** Warns of entities without effect: on operands that count no users. Metrics of the project are not checked. */
function warnOfEntities(
  { quotaEntities }: EventMetric,
  operands: readonly OperandName[],
  field: string,
  { problems }: DescribeContext,
): void {
  for (const [i, { index = -1 }] of quotaEntities.entries()) {
    const operand = operands[index];
    if (operand?.kind !== "event" || countsUsers(operand.aggregation)) continue;
    const word = wordOf(AggregationSchema, operand.aggregation);
    warnNoEffect(problems, `${field}.quotaEntities[${i}]`, `has no effect with ${word}`);
  }
}

interface Entry<T> {
  readonly index: number | undefined;
  readonly value: T;
}

function checkIndex(
  index: number | undefined,
  count: number | undefined,
  field: string,
  { problems }: DescribeContext,
): index is number {
  if (index === undefined) problems.refuse(field, undefined, "is required");
  else if (index < 0 || (count !== undefined && index >= count)) {
    const valid = count === 1 ? "valid is 0" : `valid are 0 to ${(count ?? 0) - 1}`;
    const rule =
      count === undefined
        ? "must not be negative"
        : count === 0
          ? "is not an operand: the formula has none"
          : `is not an operand of the metric, ${valid}`;
    problems.refuse(field, index, rule);
    return false;
  }
  return index !== undefined;
}

function readFilters(
  metric: EventMetric,
  field: string,
  context: DescribeContext,
): readonly Entry<Predicate>[] {
  return metric.customFilters.map((filters, i) => ({
    index: filters.index,
    value: describeFilters(filters, `${field}.customFilters[${i}]`, context),
  }));
}

function readEntities(
  metric: EventMetric,
  field: string,
  context: DescribeContext,
): readonly Entry<Expression | undefined>[] {
  return metric.quotaEntities.map(({ index, taIdMeasure }, i) => {
    const path = `${field}.quotaEntities[${i}].taIdMeasure`;
    if (taIdMeasure === undefined) {
      context.problems.refuse(path, undefined, "is required");
      return { index, value: undefined };
    }
    const column = findColumn(taIdMeasure, path, context);
    if (column === undefined) return { index, value: undefined };
    const isSingle = column.member === undefined && column.type !== "list" && column.cohort === undefined;
    if (!isSingle) {
      const rule = `is a ${describeType(column)}, but a counted entity must have one value`;
      context.problems.refuse(`${path}.columnName`, taIdMeasure.columnName, rule);
    }
    return { index, value: column.value };
  });
}

function readWindows(
  metric: EventMetric,
  field: string,
  context: DescribeContext,
): readonly Entry<Window | undefined>[] {
  return metric.quotaTimeRanges.map((range, i) => ({
    index: range.index,
    value: describeWindow(range, `${field}.quotaTimeRanges[${i}]`, context.today.weekStart, context.problems),
  }));
}
