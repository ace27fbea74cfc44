import type { Expression, Predicate } from "../scan.ts";
import type { ScalarType, ValueType } from "./dialect.ts";
import { asNumber, asText, type Compiled, compileExpression } from "./expression.ts";
import type { ScalarValue } from "./parameters.ts";
import type { Source, Surroundings } from "./source.ts";

/**
 * A condition's text. Conditions are true or false; the text may yield null for
 * false, which WHERE, FILTER, CASE, AND and OR take for the same and engines
 * can look up in their statistics. Under a NOT and as a value it must be exact.
 */
export function compilePredicate(predicate: Predicate, source: Source, isExact = false): string {
  switch (predicate.kind) {
    case "always":
      return String(predicate.value);
    case "and":
    case "or": {
      const { kind, of } = predicate;
      if (of.length === 0) return String(kind === "and");
      return `(${of.map((one) => compilePredicate(one, source, isExact)).join(kind === "and" ? " AND " : " OR ")})`;
    }
    case "not":
      return `(NOT ${compilePredicate(predicate.of, source, true)})`;
    case "isNull": {
      const { sql, type } = compileExpression(predicate.of, source);
      if (!type.isList) return `(${sql} IS NULL)`;
      return `(${sql} IS NULL OR ${source.surroundings.dialect.isEmptyList(sql)})`;
    }
    case "inCluster": {
      const { relations } = source.surroundings;
      return `(${source.column("user_id")} IN (SELECT user_id FROM ${relations.cluster(predicate.cluster)} c))`;
    }
    default: {
      const sql = compileComparison(predicate, source);
      return isExact && sql !== "false" ? `coalesce(${sql}, false)` : sql;
    }
  }
}

type Comparison = Exclude<Predicate, { kind: "always" | "and" | "or" | "not" | "isNull" | "inCluster" }>;

function compileComparison(predicate: Comparison, source: Source): string {
  const { surroundings } = source;
  const { dialect, parameters } = surroundings;
  switch (predicate.kind) {
    case "in": {
      const { sql, type } = compileExpression(predicate.of, source);
      const values = type.isList ? [] : bindEach(type, predicate.values, surroundings);
      if (values.length === 0) return "false";
      return values.length === 1 ? `(${sql} = ${values[0]})` : `(${sql} IN (${values.join(", ")}))`;
    }
    case "compare":
      return compileOrder(predicate, source);
    case "contains": {
      const text = asText(predicate.of, source);
      const parts = predicate.texts.map((part) => dialect.contains(text, parameters.bind("text", part)));
      return parts.length === 0 ? "false" : `(${parts.join(" OR ")})`;
    }
    case "matches":
      return dialect.matches(asText(predicate.of, source), parameters.bind("text", predicate.pattern));
    case "hasElement": {
      const { sql, type } = compileExpression(predicate.of, source);
      const values = type.isList ? fitting(type.of, predicate.values) : [];
      return values.length === 0 ? "false" : dialect.hasAny(sql, parameters.bindList(type.of, values));
    }
    case "elementAt": {
      const { sql, type } = compileExpression(predicate.of, source);
      const [value] = type.isList ? bindEach(type, [predicate.value], surroundings) : [];
      if (value === undefined || !(predicate.position >= 1)) return "false";
      return `(${dialect.elementAt(sql, String(Math.trunc(predicate.position)))} = ${value})`;
    }
  }
}

function compileOrder(
  { operator, left, right }: Extract<Comparison, { kind: "compare" }>,
  source: Source,
): string {
  const [a, b] = [compileExpression(left, source), compileExpression(right, source)];
  if (a.type.isList || b.type.isList) return "false";
  if (a.type.of === "text" && b.type.of === "text") return `(${a.sql} ${operator} ${b.sql})`;
  const [x, y] = [wholeTime(a, right, source), wholeTime(b, left, source)];
  if (x !== undefined) return `(${a.sql} ${operator} ${x})`;
  if (y !== undefined) return `(${y} ${operator} ${b.sql})`;
  if (a.type.of === "integer" && b.type.of === "integer") return `(${a.sql} ${operator} ${b.sql})`;
  return `(${asNumber(left, source)} ${operator} ${asNumber(right, source)})`;
}

/** The number that a time is compared with, as a time, so that the column needs no conversion. */
function wholeTime(time: Compiled, number: Expression, source: Source): string | undefined {
  if (time.type.of !== "integer" || number.kind !== "number" || !Number.isSafeInteger(number.value))
    return undefined;
  return source.surroundings.parameters.bind("integer", number.value);
}

/** Values of other types equal nothing. */
function bindEach(
  { of }: ValueType,
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
