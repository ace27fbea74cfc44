import { wordOf, wordsOf } from "../../../../base/protobuf/enum-words.ts";
import { parseDecimal } from "../../../../base/text/decimal.ts";
import { quote, quoteList } from "../../../../base/text/quote.ts";
import {
  Aggregation,
  AggregationSchema,
  type EventMetric,
  MetricType,
  MetricTypeSchema,
  ValueFormat,
  ValueFormatSchema,
} from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { WarningReason } from "../../../../gen/engage/analysis/v1/result_pb.ts";
import type { Predicate } from "../../../../store/events/events.ts";
import { nested } from "../column/cohort-column.ts";
import { findQuota } from "../column/find-column.ts";
import { describeFilters } from "../condition/filter.ts";
import { allOf, type DescribeContext } from "../context.ts";
import { queryLimits } from "../limits.ts";
import { type Problems, warnNoEffect, warnUnknown } from "../problems.ts";
import type { Arithmetic } from "./arithmetic.ts";
import { type Formula, type OperandName, readFormula } from "./formula.ts";
import type { MeasureSet } from "./measure-set.ts";
import { type Computation, checkQuota, needsQuota, type OperandEvents, planOperand } from "./operand.ts";
import { describeOperandOptions, type OperandOptions, userId } from "./operand-options.ts";

/** The parts of the plan to which a metric adds. */
export interface MetricParts {
  readonly measures: MeasureSet;
  /** Events of all its operands. */
  readonly operands: OperandEvents[];
  readonly isSplit: boolean;
  /** Event names of all its operands, as in the query. */
  readonly eventNames: Set<string>;
}

/** Options that operands inherit from the query and from the metric that refers to a named metric. */
interface Inherited extends OperandOptions {
  readonly where: Predicate;
}

/** Describes a metric; returns undefined when it was refused. @param where the query's own conditions */
export function describeMetric(
  metric: EventMetric,
  field: string,
  where: Predicate,
  parts: MetricParts,
  context: DescribeContext,
): Computation | undefined {
  const { problems } = context;
  if (metric.eventName === "") problems.refuse(`${field}.eventName`, undefined, "is required");
  if (metric.format !== ValueFormat.UNSPECIFIED && wordOf(ValueFormatSchema, metric.format) === undefined) {
    problems.warn(
      WarningReason.IGNORED_FIELD,
      `${field}.format`,
      `${field}.format: ${metric.format} is unknown and was ignored, valid are ${quoteList(wordsOf(ValueFormatSchema))}`,
    );
  }
  return describeBody(metric, field, { where }, parts, context);
}

function describeBody(
  metric: EventMetric,
  field: string,
  inherited: Inherited,
  parts: MetricParts,
  context: DescribeContext,
): Computation | undefined {
  const formula = formulaOf(metric, field, context);
  const own = describeFilters(metric, field, context);
  const marks = describeOperandOptions(metric, formula?.operands, field, context);
  if (parts.isSplit) warnOfPartialSplit(metric, marks.length, field, context);
  const percentile = readPercentile(metric, formula?.operands, field, context);
  if (formula === undefined) return undefined;
  const computations = formula.operands.map((operand, i) => {
    const mark = marks[i]!;
    const all: Inherited = {
      where: allOf([inherited.where, own, ...(mark.where === undefined ? [] : [mark.where])]),
      entity: inherited.entity ?? mark.entity,
      window: inherited.window ?? mark.window,
    };
    if (operand.kind === "metric")
      return describeNamed(operand.name, operandField(metric, field), all, parts, context);
    return describeEvents(operand, metric, field, percentile ?? 50, all, parts, context);
  });
  return computations.includes(undefined)
    ? undefined
    : toComputation(formula.tree, computations as readonly Computation[]);
}

function warnOfPartialSplit(
  { eventSplitIndexes }: EventMetric,
  count: number,
  field: string,
  { problems }: DescribeContext,
): void {
  const { size: named } = new Set(eventSplitIndexes);
  if (named === 0 || named >= count) return;
  const effect = `names ${named} of the formula's ${count} operands, which are all split`;
  warnNoEffect(problems, `${field}.eventSplitIndexes`, effect);
}

function operandField(metric: EventMetric, field: string): string {
  return `${field}.${isNamed(metric) ? "metricName" : "customEvent"}`;
}

/**
 * Reports whether a metric refers to a metric of the project: a formula or an analysis takes precedence over a name.
 */
function isNamed({ type, metricName, analysis, customEvent }: EventMetric): boolean {
  const saysMore =
    type === MetricType.CUSTOMIZED ? customEvent.trim() !== "" : analysis !== Aggregation.UNSPECIFIED;
  return metricName !== "" && !saysMore;
}

function formulaOf(metric: EventMetric, field: string, context: DescribeContext): Formula | undefined {
  const { problems } = context;
  const { type, metricName } = metric;
  if (type !== MetricType.CUSTOMIZED && type !== MetricType.NORMAL) {
    problems.refuseWord(`${field}.type`, type, wordsOf(MetricTypeSchema));
    return undefined;
  }
  if (isNamed(metric)) {
    warnIgnored(metric, ["analysis", "quota", "customEvent"], "together with metricName", field, problems);
    return { tree: onlyOperand, operands: [{ kind: "metric", name: metricName }] };
  }
  if (type === MetricType.NORMAL) return formulaOfEvents(metric, field, context);
  warnIgnored(metric, ["analysis", "quota", "metricName"], "together with customEvent", field, problems);
  return readFormula(metric.customEvent, `${field}.customEvent`, problems);
}

const onlyOperand: Arithmetic = { kind: "operand", index: 0 };

function formulaOfEvents(
  metric: EventMetric,
  field: string,
  { problems }: DescribeContext,
): Formula | undefined {
  const { analysis: aggregation, eventName, quota } = metric;
  warnIgnored(metric, ["customEvent"], 'with the type "normal"', field, problems);
  const word = wordOf(AggregationSchema, aggregation);
  if (word === undefined) {
    problems.refuseWord(`${field}.analysis`, aggregation, wordsOf(AggregationSchema));
    return undefined;
  }
  warnIgnored(metric, ["metricName"], "together with analysis", field, problems);
  const needed = needsQuota(aggregation);
  if (!needed) warnIgnored(metric, ["quota"], `with ${word}`, field, problems);
  if (!needed || quota !== "") {
    const operand = { kind: "event", eventName, aggregation, quota: needed ? quota : "" } as const;
    return { tree: onlyOperand, operands: [operand] };
  }
  problems.refuse(`${field}.quota`, undefined, `is required by ${word}`);
  return undefined;
}

function warnIgnored(
  metric: EventMetric,
  names: readonly ("analysis" | "quota" | "metricName" | "customEvent")[],
  where: string,
  field: string,
  problems: Problems,
): void {
  for (const name of names) {
    if (metric[name]) warnNoEffect(problems, `${field}.${name}`, `has no effect ${where}`);
  }
}

function readPercentile(
  { type, analysis, analysisParams }: EventMetric,
  operands: readonly OperandName[] | undefined,
  field: string,
  { problems }: DescribeContext,
): number | undefined {
  const path = `${field}.analysisParams`;
  const isUsed =
    operands === undefined
      ? type === MetricType.NORMAL && analysis === Aggregation.PERCENTILE
      : operands.some((one) => one.kind === "event" && one.aggregation === Aggregation.PERCENTILE);
  if (!isUsed) {
    if (operands !== undefined && analysisParams !== "")
      warnNoEffect(problems, path, "has no effect without PERCENTILE");
    return undefined;
  }
  const percentile = parseDecimal(analysisParams) ?? 0;
  if (percentile >= 1 && percentile <= 100) return percentile;
  problems.refuse(path, analysisParams, "must be a number from 1 to 100, the percentile");
  return undefined;
}

function describeEvents(
  { eventName, aggregation, quota }: OperandName & { readonly kind: "event" },
  metric: EventMetric,
  field: string,
  percentile: number,
  { where, entity, window }: Inherited,
  { measures, operands, isSplit, eventNames }: MetricParts,
  context: DescribeContext,
): Computation | undefined {
  const isFormula = metric.type === MetricType.CUSTOMIZED;
  const { problems, counts } = context;
  counts.operands++;
  if (counts.operands === queryLimits.operands + 1) {
    problems.refuse(field, undefined, `exceeds the limit of ${queryLimits.operands} operands in a query`);
  }
  if (counts.operands > queryLimits.operands) return undefined;
  const quotaField = `${field}.${isFormula ? "customEvent" : "quota"}`;
  const column = quota === "" ? undefined : findQuota(quota, quotaField, context);
  if (quota !== "" && column === undefined) return undefined;
  if (column !== undefined && !checkQuota(aggregation, column, quotaField, quota, problems)) return undefined;
  const events = numbersOf(eventName, `${field}.${isFormula ? "customEvent" : "eventName"}`, context);
  const of: OperandEvents = { events, where, isSplit, window };
  operands.push(of);
  eventNames.add(eventName);
  return planOperand({ aggregation, quota: column, entity: entity ?? userId, percentile }, of, measures);
}

/** Returns the numbers of the events; undefined for any event. */
function numbersOf(
  name: string,
  field: string,
  { schema, problems }: DescribeContext,
): readonly number[] | undefined {
  if (name === "anyEvent") return undefined;
  const event = schema.events.get(name);
  if (event !== undefined) return [event.number];
  if (name !== "") {
    warnUnknown(problems, field, {
      what: "event",
      name,
      effect: "it has no records",
      known: () => [...schema.events.keys()],
    });
  }
  return [];
}

function describeNamed(
  name: string,
  field: string,
  inherited: Inherited,
  parts: MetricParts,
  context: DescribeContext,
): Computation | undefined {
  const { metrics } = context.project;
  const metric = metrics.get(name);
  if (metric === undefined) {
    const valid = context.problems.hint(name, () => [...metrics.keys()]);
    context.problems.refuse(field, name, `is not a metric of the project${valid}`);
    return undefined;
  }
  return nested(`$metric.${name}`, field, context, (inner) =>
    describeBody(metric, `${field} (metric ${quote(name)})`, inherited, parts, inner),
  );
}

function toComputation(tree: Arithmetic, operands: readonly Computation[]): Computation {
  switch (tree.kind) {
    case "number":
      return tree;
    case "operand":
      return operands[tree.index]!;
    case "binary":
      return {
        kind: "binary",
        operator: tree.operator,
        left: toComputation(tree.left, operands),
        right: toComputation(tree.right, operands),
      };
  }
}
