import { wordOf, wordsOf } from "../../../../base/protobuf/enum-words.ts";
import { quoteList } from "../../../../base/text/quote.ts";
import { dayMs, hourMs, minuteMs } from "../../../../base/time/units.ts";
import { TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import {
  Comparator,
  ComparatorSchema,
  type Filter,
  FilterType,
  FilterTypeSchema,
  Relation,
  RelationSchema,
  TimeUnit,
  TimeUnitSchema,
} from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import type { Predicate } from "../../../../store/events/events.ts";
import { type Column, describeType } from "../column/column.ts";
import { findColumn } from "../column/find-column.ts";
import { type DescribeContext, join, never } from "../context.ts";
import { queryLimits } from "../limits.ts";
import { type Problems, warnNoEffect } from "../problems.ts";
import { type ComparatorRule, comparatorRules } from "./comparator.ts";
import { createLiterals } from "./literal.ts";

/** Conditions joined by one relation, as views, metrics and operands have them. */
export interface FilterList {
  readonly filts: readonly Filter[];
  readonly relation: Relation;
}

/**
 * Describes a list of conditions; true without conditions. Refused conditions become `never`: their problems end the
 * query.
 * @param field path of the object with the list
 */
export function describeFilters(
  { filts, relation }: FilterList,
  field: string,
  context: DescribeContext,
  depth = 1,
): Predicate {
  const { problems } = context;
  const at = field === "" ? "" : `${field}.`;
  if (relation !== Relation.UNSPECIFIED && wordOf(RelationSchema, relation) === undefined) {
    problems.refuseWord(`${at}relation`, relation, wordsOf(RelationSchema));
  }
  const predicates = filts.map(
    (filter, i) => describeNested(filter, `${at}filts[${i}]`, context, depth) ?? never,
  );
  return join(relation === Relation.OR ? "or" : "and", predicates, true);
}

/** Describes one condition; returns undefined when it was refused. */
export function describeFilter(
  filter: Filter,
  field: string,
  context: DescribeContext,
): Predicate | undefined {
  return describeNested(filter, field, context, 1);
}

function describeNested(
  filter: Filter,
  field: string,
  context: DescribeContext,
  depth: number,
): Predicate | undefined {
  const { problems, counts } = context;
  switch (filter.filterType) {
    case FilterType.COMPOUND:
      warnIgnored(filter, simpleMembers, "COMPOUND", field, problems);
      if (depth < queryLimits.filterDepth) return describeFilters(filter, field, context, depth + 1);
      problems.refuse(field, undefined, `is nested deeper than ${queryLimits.filterDepth} levels`);
      return undefined;
    case FilterType.UNSPECIFIED:
    case FilterType.SIMPLE:
      break;
    default:
      problems.refuseWord(`${field}.filterType`, filter.filterType, wordsOf(FilterTypeSchema));
      return undefined;
  }
  warnIgnored(filter, ["relation"], "SIMPLE", field, problems);
  counts.conditions++;
  if (counts.conditions === queryLimits.conditions + 1) {
    problems.refuse(field, undefined, `exceeds the limit of ${queryLimits.conditions} conditions`);
  }
  if (counts.conditions > queryLimits.conditions) return undefined;
  if (!hasRoomForLiterals(filter, field, context)) return undefined;
  if (filter.filts.length > 0) {
    problems.refuse(`${field}.filts`, undefined, 'is only valid with the filterType "COMPOUND"');
  }
  return describeCondition(filter, field, context);
}

function hasRoomForLiterals({ ftv }: Filter, field: string, { counts, problems }: DescribeContext): boolean {
  // The rule of the comparator refuses a condition with too many literals and reads none of them.
  if (ftv.length > queryLimits.literals) return true;
  const most = queryLimits.literalsOfAllConditions;
  const wasWithin = counts.literals <= most;
  counts.literals += ftv.length;
  if (counts.literals <= most) return true;
  if (wasWithin)
    problems.refuse(`${field}.ftv`, undefined, `exceeds the limit of ${most} literals in a query`);
  return false;
}

const simpleMembers = [
  "columnName",
  "tableType",
  "subTableType",
  "specifiedClusterDate",
  "comparator",
  "ftv",
  "timeUnit",
] as const;

function warnIgnored(
  filter: Filter,
  names: readonly (keyof Filter)[],
  type: string,
  field: string,
  problems: Problems,
): void {
  for (const name of names) {
    const value = filter[name];
    if (Array.isArray(value) ? value.length === 0 : !value) continue;
    warnNoEffect(problems, `${field}.${name}`, `has no effect with the filterType "${type}"`);
  }
}

const units: Partial<Record<TimeUnit, number>> = {
  [TimeUnit.DAY]: dayMs,
  [TimeUnit.HOUR]: hourMs,
  [TimeUnit.MINUTE]: minuteMs,
};

function describeCondition(filter: Filter, field: string, context: DescribeContext): Predicate | undefined {
  const { problems } = context;
  const rule = comparatorRules[filter.comparator];
  const column = findFilterColumn(filter, field, context);
  if (rule === undefined) {
    problems.refuseWord(`${field}.comparator`, filter.comparator, wordsOf(ComparatorSchema));
    return undefined;
  }
  const word = wordOf(ComparatorSchema, filter.comparator)!;
  const unitMs = readUnit(filter, rule, field, word, context);
  const isComplete = hasArity(filter.ftv, rule);
  if (!isComplete) {
    const [least, most] = rule.arity;
    const number = most === 0 ? "no literal" : least === most ? `${least}` : `${least} to ${most}`;
    const noun = most === 0 ? "" : most === 1 ? " literal" : " literals";
    problems.refuse(
      `${field}.ftv`,
      undefined,
      `must have ${number}${noun} with ${word}, not ${filter.ftv.length}`,
    );
  }
  if (column === undefined) return undefined;
  if (!fits(column, rule)) {
    const valid = wordsFor(column);
    problems.refuse(
      `${field}.comparator`,
      word,
      `does not apply to a ${describeType(column)}, valid are ${quoteList(valid)}`,
    );
    return undefined;
  }
  if (!isComplete || unitMs === undefined) return undefined;
  const literals = createLiterals(filter.ftv, column, `${field}.ftv`, context);
  const predicate = rule.compile({ column, literals, unitMs, today: context.today.localMs });
  return column.type === "nothing" && predicate !== undefined
    ? predicateWithoutValues(filter.comparator)
    : predicate;
}

/** Finds the column of a condition; conditions on membership name cohorts whatever their tableType is. */
function findFilterColumn(filter: Filter, field: string, context: DescribeContext): Column | undefined {
  const isMembership =
    filter.comparator === Comparator.BELONG_TO_CLUSTER ||
    filter.comparator === Comparator.NOT_BELONG_TO_CLUSTER;
  if (!isMembership) return findColumn(filter, field, context);
  return findColumn({ ...filter, tableType: TableType.CLUSTER }, field, context);
}

function readUnit(
  { timeUnit }: Filter,
  { needsUnit }: ComparatorRule,
  field: string,
  word: string,
  { problems }: DescribeContext,
): number | undefined {
  if (needsUnit === undefined) {
    if (timeUnit !== TimeUnit.UNSPECIFIED)
      warnNoEffect(problems, `${field}.timeUnit`, `has no effect with ${word}`);
    return 0;
  }
  const unitMs = units[timeUnit];
  if (unitMs === undefined) {
    const valid = quoteList(wordsOf(TimeUnitSchema));
    problems.refuse(
      `${field}.timeUnit`,
      timeUnit || undefined,
      `is required by ${word} and must be one of ${valid}`,
    );
  }
  return unitMs;
}

function hasArity(literals: readonly string[], { arity: [least, most] }: ComparatorRule): boolean {
  return literals.length >= least && literals.length <= most;
}

function fits(column: Column, { types }: ComparatorRule): boolean {
  if (column.type === "nothing") return true;
  return types.includes(column.member === undefined ? column.type : "member");
}

function wordsFor(column: Column): readonly string[] {
  return wordsOf(ComparatorSchema).filter((_, i) => {
    const rule = comparatorRules[(i + 1) as Comparator];
    return rule !== undefined && fits(column, rule);
  });
}

/** Returns the result of a condition on a column without values. */
function predicateWithoutValues(comparator: Comparator): Predicate {
  const holds =
    comparator === Comparator.IS_NULL ||
    comparator === Comparator.ARRAY_IS_NULL ||
    comparator === Comparator.ARRAY_NOT_INCLUDE_ITEM;
  return { kind: "always", value: holds };
}
