import type { Expression, ProjectSchema, PropertyTable } from "../../../../store/events/events.ts";
import type { DescribeContext } from "../context.ts";
import { warnUnknown } from "../problems.ts";
import { type Column, type ColumnType, eventTime, noValues, translate } from "./column.ts";

/**
 * Finds a builtin, a property or a column of a dimension table; returns undefined when it was refused.
 * @param field path of the name
 */
export function findPropertyColumn(
  table: PropertyTable,
  name: string,
  field: string,
  context: DescribeContext,
): Column | undefined {
  const at = name.lastIndexOf("@");
  if (at > 0) return findDimension(table, name.slice(0, at), name.slice(at + 1), field, context);
  const column = findKnown(table, name, context);
  if (column !== undefined) return column;
  if (name !== "") warnOfProperty(table, name, field, context);
  return noValues;
}

function warnOfProperty(
  table: PropertyTable,
  name: string,
  field: string,
  { schema, problems }: DescribeContext,
): void {
  const [other] = (["event", "user"] as const).filter((one) => one !== table);
  const isOther = schema.properties.has(`${other}:${name.toLowerCase()}`);
  const effect = `it has no values${isOther ? `; a property of this name exists with the tableType "${other}"` : ""}`;
  const known = () => propertyNames(schema, table);
  warnUnknown(problems, field, { what: `${table} property`, name, effect, known });
}

/** Finds a column of the event or, if there is none, of its user. */
export function findEventOrUserColumn(
  name: string,
  field: string,
  context: DescribeContext,
): Column | undefined {
  const own = findKnown("event", name, context) ?? findKnown("user", name, context);
  return own ?? findPropertyColumn("event", name, field, context);
}

function findKnown(table: PropertyTable, name: string, context: DescribeContext): Column | undefined {
  return findBuiltin(table, name, context) ?? findProperty(table, name, context);
}

function findBuiltin(table: PropertyTable, name: string, context: DescribeContext): Column | undefined {
  const column = (
    type: ColumnType,
    builtin: (Expression & { readonly kind: "builtin" })["name"],
  ): Column => ({ type, value: { kind: "builtin", name: builtin } });
  switch (name.toLowerCase()) {
    case "#user_id":
      return column("number", "user_id");
    case "#account_id":
      return column("text", table === "user" ? "user_account_id" : "account_id");
    case "#distinct_id":
      return column("text", table === "user" ? "user_distinct_id" : "distinct_id");
  }
  if (table === "user") return undefined;
  switch (name.toLowerCase()) {
    case "#event_name":
      return column("text", "event_name");
    case "#event_time":
      return { type: "time", value: eventTime };
    case "#server_time":
      // The time may be far outside of the range, so all steps of the zone are needed.
      context.counts.readsLocalProperties = true;
      return { type: "time", value: { kind: "local", of: { kind: "builtin", name: "server_time" } } };
    default:
      return undefined;
  }
}

function findProperty(table: PropertyTable, name: string, context: DescribeContext): Column | undefined {
  const property = context.schema.properties.get(`${table}:${name.toLowerCase()}`);
  if (property === undefined) return undefined;
  const value: Expression = { kind: "property", property };
  const isInstant = property.type === "time" && table === "event";
  if (isInstant) context.counts.readsLocalProperties = true;
  return {
    type: property.type,
    value: isInstant ? { kind: "local", of: value } : value,
    ...(property.group === undefined ? {} : { member: property }),
  };
}

function findDimension(
  table: PropertyTable,
  propertyName: string,
  columnName: string,
  field: string,
  context: DescribeContext,
): Column | undefined {
  const { project, problems, reportUndeclared } = context;
  const texts = project.dimensions.get(`${table}:${propertyName.toLowerCase()}@${columnName}`);
  if (texts === undefined) {
    const name = `${propertyName}@${columnName}`;
    const ofTable = [...project.dimensions.keys()].filter((key) => key.startsWith(`${table}:`));
    const known = () => ofTable.map((key) => key.slice(table.length + 1));
    reportUndeclared(problems, field, { what: "dimension column", name, effect: "it has no values", known });
    return noValues;
  }
  const property = findPropertyColumn(table, propertyName, field, context);
  if (property === undefined || property.type === "nothing") return property;
  return translate(property, texts, field, context);
}

export function propertyNames({ properties }: ProjectSchema, table: PropertyTable): readonly string[] {
  return [...properties.values()].flatMap((one) => (one.table === table ? [one.name] : []));
}
