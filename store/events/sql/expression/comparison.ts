import type { ScalarType } from "../dialect.ts";
import type { ScalarValue } from "../parameters.ts";
import type { CompileContext } from "../source.ts";
import { asNumber, asText, type Value } from "./value.ts";

/** Longer lists are bound as one value: the engine takes 0.1 ms for each placeholder of a statement. */
const maxInline = 50;

// Each function returns the SQL of a condition, which may be null where a value is missing, or `false`
// for an impossible one.

export function equalsAny(
  { sql, type, mayOccur }: Value,
  values: readonly ScalarValue[],
  context: CompileContext,
): string {
  const { isAnyOfFew } = context.dialect;
  if (mayOccur !== undefined && isAnyOfFew !== undefined && values.length <= maxInline) {
    const fit = fitting(type.of, values);
    if (mayOccur(fit)) return isAnyOfFew(sql, context.parameters.bindList(type.of, fit));
  }
  if (!type.isList && type.of !== "event" && values.length > maxInline) {
    const list = context.parameters.bindList(type.of, fitting(type.of, values));
    return context.dialect.isAnyOf(sql, list);
  }
  const bound = type.isList ? [] : bindEach(type.of, values, context);
  if (bound.length === 0) return "false";
  return bound.length === 1 ? `(${sql} = ${bound[0]})` : `(${sql} IN (${bound.join(", ")}))`;
}

export function compares(a: Value, operator: string, b: Value, context: CompileContext): string {
  if (a.type.isList || b.type.isList) return "false";
  const [wholeA, wholeB] = [wholeTime(a, b, context), wholeTime(b, a, context)];
  if (a.type.of === "text" && b.type.of === "text") return `(${a.sql} ${operator} ${b.sql})`;
  if (wholeB !== undefined) return `(${a.sql} ${operator} ${wholeB})`;
  if (wholeA !== undefined) return `(${wholeA} ${operator} ${b.sql})`;
  if (a.type.of === "integer" && b.type.of === "integer") return `(${a.sql} ${operator} ${b.sql})`;
  return `(${asNumber(a, context)} ${operator} ${asNumber(b, context)})`;
}

export function containsAny(value: Value, parts: readonly string[], context: CompileContext): string {
  const { dialect, parameters } = context;
  const text = asText(value, context);
  if (parts.length > maxInline) return dialect.containsAny(text, parameters.bindList("text", parts));
  const tests = parts.map((part) => dialect.contains(text, parameters.bind("text", part)));
  return tests.length === 0 ? "false" : `(${tests.join(" OR ")})`;
}

export function matches(value: Value, pattern: string, context: CompileContext): string {
  const { dialect, parameters } = context;
  return dialect.matches(asText(value, context), parameters.bind("text", pattern));
}

export function hasElement(
  { sql, type }: Value,
  values: readonly ScalarValue[],
  { dialect, parameters }: CompileContext,
): string {
  const fit = type.isList ? fitting(type.of, values) : [];
  return fit.length === 0 ? "false" : dialect.hasAny(sql, parameters.bindList(type.of, fit));
}

export function elementEquals(
  { sql, type }: Value,
  position: number,
  value: ScalarValue,
  context: CompileContext,
): string {
  const [bound] = type.isList ? bindEach(type.of, [value], context) : [];
  if (bound === undefined || !(position >= 1)) return "false";
  return `(${context.dialect.elementAt(sql, String(Math.trunc(position)))} = ${bound})`;
}

/** Returns a number of the plan as a time when it is compared with one, so that the column needs no conversion. */
function wholeTime({ literal }: Value, time: Value, { parameters }: CompileContext): string | undefined {
  if (time.type.of !== "integer" || literal === undefined || !Number.isSafeInteger(literal)) return undefined;
  return parameters.bind("integer", literal);
}

/** Binds each value; values of other types equal nothing and are left out. */
function bindEach(
  of: ScalarType,
  values: readonly ScalarValue[],
  { relations, parameters }: CompileContext,
): readonly string[] {
  if (of !== "event") return fitting(of, values).map((value) => parameters.bind(of, value));
  return values.flatMap((name) => {
    const event = typeof name === "string" ? relations.schema.events.get(name) : undefined;
    return event === undefined ? [] : [String(event.number)];
  });
}

function fitting(of: ScalarType, values: readonly ScalarValue[]): readonly ScalarValue[] {
  switch (of) {
    case "number":
      return values.filter((value) => typeof value === "number" && !Number.isNaN(value));
    case "integer":
      return values.filter((value) => typeof value === "number" && Number.isSafeInteger(value));
    case "boolean":
      return values.filter((value) => typeof value === "boolean");
    default:
      return values.filter((value) => typeof value === "string" && value !== "");
  }
}
