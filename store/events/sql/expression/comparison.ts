import type { ScalarType } from "../dialect.ts";
import type { ScalarValue } from "../parameters.ts";
import type { Surroundings } from "../source.ts";
import { asNumber, asText, type Value } from "./value.ts";

/** Longer lists are bound as one value: the engine takes 0.1 ms for each placeholder of a text. */
const maxInline = 50;

// Each answers a condition's text, which may yield null where a value is missing. What can't be so is the text `false`.

export function equalsAny(
  { sql, type }: Value,
  values: readonly ScalarValue[],
  surroundings: Surroundings,
): string {
  if (!type.isList && type.of !== "event" && values.length > maxInline) {
    const list = surroundings.parameters.bindList(type.of, fitting(type.of, values));
    return surroundings.dialect.isAnyOf(sql, list);
  }
  const bound = type.isList ? [] : bindEach(type.of, values, surroundings);
  if (bound.length === 0) return "false";
  return bound.length === 1 ? `(${sql} = ${bound[0]})` : `(${sql} IN (${bound.join(", ")}))`;
}

export function compares(a: Value, operator: string, b: Value, surroundings: Surroundings): string {
  if (a.type.isList || b.type.isList) return "false";
  const [wholeA, wholeB] = [wholeTime(a, b, surroundings), wholeTime(b, a, surroundings)];
  if (a.type.of === "text" && b.type.of === "text") return `(${a.sql} ${operator} ${b.sql})`;
  if (wholeB !== undefined) return `(${a.sql} ${operator} ${wholeB})`;
  if (wholeA !== undefined) return `(${wholeA} ${operator} ${b.sql})`;
  if (a.type.of === "integer" && b.type.of === "integer") return `(${a.sql} ${operator} ${b.sql})`;
  return `(${asNumber(a, surroundings)} ${operator} ${asNumber(b, surroundings)})`;
}

export function containsAny(value: Value, parts: readonly string[], surroundings: Surroundings): string {
  const { dialect, parameters } = surroundings;
  const text = asText(value, surroundings);
  if (parts.length > maxInline) return dialect.containsAny(text, parameters.bindList("text", parts));
  const tests = parts.map((part) => dialect.contains(text, parameters.bind("text", part)));
  return tests.length === 0 ? "false" : `(${tests.join(" OR ")})`;
}

export function matches(value: Value, pattern: string, surroundings: Surroundings): string {
  const { dialect, parameters } = surroundings;
  return dialect.matches(asText(value, surroundings), parameters.bind("text", pattern));
}

export function hasElement(
  { sql, type }: Value,
  values: readonly ScalarValue[],
  { dialect, parameters }: Surroundings,
): string {
  const fit = type.isList ? fitting(type.of, values) : [];
  return fit.length === 0 ? "false" : dialect.hasAny(sql, parameters.bindList(type.of, fit));
}

export function elementEquals(
  { sql, type }: Value,
  position: number,
  value: ScalarValue,
  surroundings: Surroundings,
): string {
  const [bound] = type.isList ? bindEach(type.of, [value], surroundings) : [];
  if (bound === undefined || !(position >= 1)) return "false";
  return `(${surroundings.dialect.elementAt(sql, String(Math.trunc(position)))} = ${bound})`;
}

/** A number of the plan that a time is compared with, as a time, so that the column needs no conversion. */
function wholeTime({ literal }: Value, time: Value, { parameters }: Surroundings): string | undefined {
  if (time.type.of !== "integer" || literal === undefined || !Number.isSafeInteger(literal)) return undefined;
  return parameters.bind("integer", literal);
}

/** Values of other types equal nothing. */
function bindEach(
  of: ScalarType,
  values: readonly ScalarValue[],
  { relations, parameters }: Surroundings,
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
