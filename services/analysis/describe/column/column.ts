import type { SubTableType, TableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import type { Expression, Predicate, Property } from "../../../../store/events/events.ts";
import type { DescribeContext } from "../context.ts";

export type ColumnType =
  | "number"
  | "text"
  | "boolean"
  /** Values are local times of the query's zone, in ms. */
  | "time"
  | "list"
  | "object"
  | "object_group"
  /** Membership of the user; not a value. */
  | "cohort"
  /** Never reported: it has no values. */
  | "nothing";

export interface Column {
  readonly type: ColumnType;
  readonly value: Expression;
  /** The member of an object group, whose values are lists of the type. */
  readonly member?: Property;
  readonly cohort?: Predicate;
}

/** How queries name a column, in filters, groups and entities. */
export interface ColumnName {
  readonly columnName: string;
  readonly tableType: TableType;
  readonly subTableType?: SubTableType;
  readonly specifiedClusterDate?: string;
}

export const noValues: Column = { type: "nothing", value: { kind: "null" } };

/** `#event_time` in local time. */
export const eventTime: Expression = { kind: "local", of: { kind: "builtin", name: "event_time" } };

/** Returns the value as stored: the whole list for members of object groups, whose times are instants. */
export function storedValue({ member, value }: Column): Expression {
  return member === undefined ? value : { kind: "property", property: member };
}

/** Translates the values of a column to texts. */
export function translate(
  column: Column,
  texts: ReadonlyMap<string, string>,
  field: string,
  context: DescribeContext,
): Column | undefined {
  const isPlain = column.type === "text" || column.type === "number" || column.type === "boolean";
  if (isPlain && column.member === undefined) {
    return { type: "text", value: { kind: "lookup", of: column.value, texts } };
  }
  context.problems.refuse(
    field,
    undefined,
    `has a table of texts, which does not apply to a ${describeType(column)}`,
  );
  return undefined;
}

export function describeType({ type, member }: Column): string {
  if (member !== undefined) return `member of the object group ${JSON.stringify(member.group)}`;
  return `${type === "object_group" ? "object group" : type} column`;
}
