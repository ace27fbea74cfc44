import type { Property } from "../../schema.ts";
import { type ScalarType, scalar, type ValueType } from "../dialect.ts";
import { nullOf, type Surroundings } from "../source.ts";

/** An expression's text and what it yields. */
export interface Value {
  readonly sql: string;
  readonly type: ValueType;
  /** Of a number that the plan itself holds. */
  readonly literal?: number;
}

export const scalarValue = (sql: string, of: ScalarType): Value => ({ sql, type: scalar(of) });

/** A double; null for what is no number and no time. */
export function asNumber({ sql, type }: Value, { dialect }: Surroundings): string {
  if (type.isList) return nullOf(dialect, "number");
  if (type.of === "integer") return dialect.cast(sql, scalar("number"));
  return type.of === "number" ? sql : nullOf(dialect, "number");
}

/** Null for what is no text. */
export function asText({ sql, type }: Value, { dialect, parameters, relations }: Surroundings): string {
  if (type.isList || (type.of !== "text" && type.of !== "event")) return nullOf(dialect, "text");
  if (type.of === "text") return sql;
  const names: string[] = [];
  for (const { name, number } of relations.schema.events.values()) names[number - 1] = name;
  const list = Array.from(names, (name) => name ?? "");
  return dialect.elementAt(parameters.bindList("text", list), sql);
}

/** Whole milliseconds; null for what is no number and no time. */
export function asTime({ sql, type }: Value, { dialect }: Surroundings): string {
  if (type.isList) return nullOf(dialect, "integer");
  if (type.of === "number") return dialect.cast(sql, scalar("integer"));
  return type.of === "integer" ? sql : nullOf(dialect, "integer");
}

export function propertyType({ type, group }: Property): ValueType {
  if (type === "list") return { of: "text", isList: true };
  // Objects and object groups are JSON text.
  const isObject = type === "object" || type === "object_group";
  return { of: isObject ? "text" : type === "time" ? "integer" : type, isList: group !== undefined };
}

export const builtinTypes = {
  event_time: "integer",
  server_time: "integer",
  user_id: "integer",
  account_id: "text",
  distinct_id: "text",
  user_account_id: "text",
  user_distinct_id: "text",
} as const satisfies Record<string, ScalarType>;
