import { wordOf, wordsOf } from "../../../base/protobuf/enum-words.ts";
import {
  type GroupBy,
  PropertyRangeType,
  PropertyRangeTypeSchema,
} from "../../../gen/engage/analysis/v1/column_pb.ts";
import type { GroupKey, NumberSummary } from "../../../store/events/events.ts";
import { type KeyForm, parseBoundaries } from "../text-form.ts";
import { type Column, describeType } from "./column/column.ts";
import { findColumn } from "./column/find-column.ts";
import type { DescribeContext } from "./context.ts";
import { queryLimits } from "./limits.ts";
import { type Problems, warnNoEffect, warnOfDigits } from "./problems.ts";

/** One column by which a result is broken down. */
export interface PlannedKey {
  readonly name: string;
  readonly displayName: string;
  readonly key: GroupKey;
  readonly form: KeyForm;
  /** Whether the key is cut into intervals after the summary of its values is read. */
  readonly needsSummary: boolean;
}

/** Describes a group-by column; returns undefined when it was refused. */
export function describeGroupBy(
  groupBy: GroupBy,
  field: string,
  context: DescribeContext,
): PlannedKey | undefined {
  const { problems } = context;
  const { columnName, columnDesc, propertyRange, propertyRangeType } = groupBy;
  const type = propertyRangeType;
  if (type !== PropertyRangeType.UNSPECIFIED && wordOf(PropertyRangeTypeSchema, type) === undefined) {
    problems.refuseWord(`${field}.propertyRangeType`, type, wordsOf(PropertyRangeTypeSchema));
  }
  const column = findColumn(groupBy, field, context);
  if (column === undefined) return undefined;
  if (column.type !== "nothing") warnOfRange(groupBy, column, field, problems);
  const names = { name: columnName, displayName: columnDesc || columnName, needsSummary: false };
  if (column.cohort !== undefined) {
    return { ...names, key: { kind: "predicate", of: column.cohort }, form: { kind: "boolean" } };
  }
  if (column.member?.type === "time") {
    problems.refuse(
      `${field}.columnName`,
      columnName,
      "is a time in an object group, which cannot be grouped by",
    );
    return undefined;
  }
  const isCut = propertyRange !== "" && type !== PropertyRangeType.DISCRETE;
  if (isCut && column.type !== "nothing") return describeIntervals(groupBy, column, field, context);
  const needsSummary = type === PropertyRangeType.DEF && column.type === "number";
  return {
    ...names,
    needsSummary,
    key: { kind: "values", of: column.value },
    form: { kind: kindOf(column) },
  };
}

/** Warns of range settings without effect. */
function warnOfRange(
  { propertyRange, propertyRangeType: type }: GroupBy,
  column: Column,
  field: string,
  problems: Problems,
): void {
  const warn = (name: string, where: string) =>
    warnNoEffect(problems, `${field}.${name}`, `has no effect ${where}`);
  const isCut = type === PropertyRangeType.DEF || type === PropertyRangeType.CUSTOM;
  if (column.type === "cohort") {
    if (propertyRange !== "") warn("propertyRange", "on a cohort column");
    if (isCut) warn("propertyRangeType", "on a cohort column");
  } else if (propertyRange !== "") {
    if (type === PropertyRangeType.DISCRETE) warn("propertyRange", 'with the propertyRangeType "discrete"');
    if (type === PropertyRangeType.DEF) warn("propertyRangeType", "together with propertyRange");
  } else if (type === PropertyRangeType.CUSTOM) {
    warn("propertyRangeType", "without propertyRange");
  } else if (type === PropertyRangeType.DEF && column.type !== "number") {
    warn("propertyRangeType", `on a ${describeType(column)}`);
  }
}

function kindOf({ type }: Column): "text" | "number" | "boolean" | "time" {
  return type === "number" || type === "boolean" || type === "time" ? type : "text";
}

function describeIntervals(
  { columnName, columnDesc, propertyRange }: GroupBy,
  column: Column,
  field: string,
  { problems }: DescribeContext,
): PlannedKey | undefined {
  const path = `${field}.propertyRange`;
  if (column.type !== "number" && column.type !== "time") {
    problems.refuse(
      path,
      propertyRange,
      `is only valid for numbers and times, and this is a ${describeType(column)}`,
    );
    return undefined;
  }
  const boundaries = parseBoundaries(propertyRange, column.type);
  if (boundaries === undefined || boundaries.some((boundary, i) => i > 0 && boundary <= boundaries[i - 1]!)) {
    problems.refuse(path, propertyRange, `must be ascending ${column.type}s, joined by commas`);
    return undefined;
  }
  if (column.type === "number") {
    for (const text of propertyRange.split(",")) warnOfDigits(problems, path, text.trim());
  }
  if (boundaries.length > queryLimits.boundaries) {
    problems.refuse(
      path,
      undefined,
      `has ${boundaries.length} boundaries, at most ${queryLimits.boundaries} are possible`,
    );
    return undefined;
  }
  return {
    name: columnName,
    displayName: columnDesc || columnName,
    needsSummary: false,
    key: { kind: "intervals", of: column.value, boundaries },
    form: { kind: "intervals", of: column.type, boundaries },
  };
}

/** Keys with fewer different values are not cut into intervals. */
const minValuesForIntervals = 20;
const intervalCount = 12;

/**
 * Returns boundaries between intervals of equal width, rounded to few digits by less than a hundredth of the width.
 * Returns undefined for a width beyond the largest number or below the distance of adjacent numbers.
 */
function cutRange([least, most]: readonly [number, number]): readonly number[] | undefined {
  const width = (most - least) / intervalCount;
  const exact = Array.from(
    { length: intervalCount - 1 },
    (_, i) => least + ((most - least) * (i + 1)) / intervalCount,
  );
  const places = 2 - Math.floor(Math.log10(width));
  const short = exact.map((at) => Number(`${Math.round(at * 10 ** places)}e${-places}`) + 0);
  const isAscending = (all: readonly number[]) =>
    all.every((at, i) => Number.isFinite(at) && at > (all[i - 1] ?? least) && at <= most);
  return [short, exact].find(isAscending);
}

/** Cuts a key into intervals of equal width if it has many values. */
export function cutKey(planned: PlannedKey, { distinct, range }: NumberSummary): PlannedKey {
  const { key } = planned;
  if (key.kind !== "values" || range === undefined || distinct < minValuesForIntervals) {
    return { ...planned, needsSummary: false };
  }
  const boundaries = cutRange(range);
  if (boundaries === undefined) return { ...planned, needsSummary: false };
  return {
    ...planned,
    needsSummary: false,
    key: { kind: "intervals", of: key.of, boundaries },
    form: { kind: "intervals", of: "number", boundaries },
  };
}
