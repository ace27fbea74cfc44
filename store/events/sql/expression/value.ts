import type { Property } from "../../schema.ts";
import { type ScalarType, scalar, type ValueType } from "../dialect.ts";
import type { MayOccur } from "../relations.ts";
import { type CompileContext, nullOf } from "../source.ts";

/** The SQL of an expression and its type. */
export interface Value {
  readonly sql: string;
  readonly type: ValueType;
  /** The number, for a number of the plan itself. */
  readonly literal?: number;
  /** Set for the column of a property that is known to have few texts. */
  readonly mayOccur?: MayOccur | undefined;
}

export const scalarValue = (sql: string, of: ScalarType): Value => ({ sql, type: scalar(of) });

/** Converts to a double; null for values other than numbers and times. */
export function asNumber({ sql, type }: Value, { dialect }: CompileContext): string {
  if (type.isList) return nullOf(dialect, "number");
  if (type.of === "integer") return dialect.cast(sql, scalar("number"));
  return type.of === "number" ? sql : nullOf(dialect, "number");
}

/** Converts to text; null for other values. */
export function asText({ sql, type }: Value, { dialect, parameters, relations }: CompileContext): string {
  if (type.isList || (type.of !== "text" && type.of !== "event")) return nullOf(dialect, "text");
  if (type.of === "text") return sql;
  const names: string[] = [];
  for (const { name, number } of relations.schema.events.values()) names[number - 1] = name;
  const list = Array.from(names, (name) => name ?? "");
  return dialect.elementAt(parameters.bindList("text", list), sql);
}

/** Converts to whole milliseconds; null for values other than numbers and times. */
export function asTime({ sql, type }: Value, { dialect }: CompileContext): string {
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
