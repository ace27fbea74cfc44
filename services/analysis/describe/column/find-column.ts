import { wordOf, wordsOf } from "../../../../base/protobuf/enum-words.ts";
import { TableType, TableTypeSchema } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import type { PropertyTable } from "../../../../store/events/events.ts";
import type { DescribeContext } from "../context.ts";
import { warnNoEffect } from "../problems.ts";
import { findCohort } from "./cohort-column.ts";
import type { Column, ColumnName } from "./column.ts";
import { findEventOrUserColumn, findPropertyColumn } from "./property-column.ts";
import { findVirtual } from "./virtual-column.ts";

/** Finds a column; returns undefined when it was refused. @param field path of the object that names the column */
export function findColumn(name: ColumnName, field: string, context: DescribeContext): Column | undefined {
  const { columnName, tableType, specifiedClusterDate = "" } = name;
  const { problems } = context;
  if (columnName === "") problems.refuse(`${field}.columnName`, undefined, "is required");
  if (specifiedClusterDate !== "" && (tableType === TableType.EVENT || tableType === TableType.USER)) {
    const effect = `has no effect with the tableType "${wordOf(TableTypeSchema, tableType)}"`;
    warnNoEffect(problems, `${field}.specifiedClusterDate`, effect);
  }
  switch (tableType) {
    case TableType.EVENT:
      return findTableColumn("event", columnName, `${field}.columnName`, context);
    case TableType.USER:
      return findTableColumn("user", columnName, `${field}.columnName`, context);
    case TableType.CLUSTER:
    case TableType.USER_CLUSTER:
      return findCohort(name, field, context);
    default:
      problems.refuseWord(`${field}.tableType`, tableType, wordsOf(TableTypeSchema));
      return undefined;
  }
}

function findTableColumn(
  table: PropertyTable,
  name: string,
  field: string,
  context: DescribeContext,
): Column | undefined {
  if (name.startsWith("#vp@")) return findVirtual(name.slice(4), field, context);
  return findPropertyColumn(table, name, field, context);
}

/** Finds the property that a metric aggregates, which queries name without a table. */
export function findQuota(name: string, field: string, context: DescribeContext): Column | undefined {
  if (name.startsWith("#vp@")) return findVirtual(name.slice(4), field, context);
  return findEventOrUserColumn(name, field, context);
}
