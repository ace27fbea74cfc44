import type { Expression, Predicate } from "../../scan.ts";
import { nullOf, type Source } from "../source.ts";
import { compares, containsAny, elementEquals, equalsAny, hasElement, matches } from "./comparison.ts";
import { toDay, toLocal } from "./local-time.ts";
import { compileLookup } from "./lookup.ts";
import { asNumber, asTime, builtinTypes, propertyType, scalarValue, type Value } from "./value.ts";

export function compileExpression(expression: Expression, source: Source): Value {
  const { surroundings } = source;
  const { parameters, zone } = surroundings;
  const time = (of: Expression) => asTime(compileExpression(of, source), surroundings);
  switch (expression.kind) {
    case "property":
      return { sql: source.property(expression.property), type: propertyType(expression.property) };
    case "builtin":
      if (expression.name === "event_name") return scalarValue(source.column("event"), "event");
      return scalarValue(source.builtin(expression.name), builtinTypes[expression.name]);
    case "number":
      return {
        ...scalarValue(parameters.bind("number", expression.value), "number"),
        literal: expression.value,
      };
    case "text":
      return scalarValue(textOf(expression.value, source), "text");
    case "null":
      return scalarValue(textOf("", source), "text");
    case "local":
      return scalarValue(toLocal(time(expression.of), zone), "integer");
    case "startOfDay":
      return scalarValue(toDay(time(expression.of)), "integer");
    case "arithmetic":
      return scalarValue(compileArithmetic(expression, source), "number");
    case "lookup":
      return scalarValue(
        compileLookup(compileExpression(expression.of, source), expression.texts, source),
        "text",
      );
    case "first":
      return compileFirst(expression.of, source);
    case "case":
      return scalarValue(compileCase(expression.branches, source), "text");
    case "tag":
      return scalarValue(source.tag(expression.cluster), "text");
  }
}

/** Empty text is no value. */
function textOf(text: string, { surroundings: { dialect, parameters } }: Source): string {
  return text === "" ? nullOf(dialect, "text") : parameters.bind("text", text);
}

/** What leaves the range of doubles is no value, like a division by zero. */
function compileArithmetic(
  { operator, left, right }: Extract<Expression, { kind: "arithmetic" }>,
  source: Source,
): string {
  const { surroundings } = source;
  const [a, b] = [left, right].map((side) => asNumber(compileExpression(side, source), surroundings));
  const result = `${a} ${operator} ${b}`;
  const divisor = operator === "/" ? `${b} <> 0 AND ` : "";
  return `CASE WHEN ${divisor}${surroundings.dialect.isFinite(`(${result})`)} THEN ${result} END`;
}

/** Of one type: that of the first that can have a value. */
function compileFirst(of: readonly Expression[], source: Source): Value {
  const all = of.filter(({ kind }) => kind !== "null").map((one) => compileExpression(one, source));
  const [first] = all;
  if (first === undefined) return scalarValue(textOf("", source), "text");
  const alike = all.filter(({ type }) => type.of === first.type.of && type.isList === first.type.isList);
  return { sql: `coalesce(${alike.map(({ sql }) => sql).join(", ")})`, type: first.type };
}

function compileCase(branches: Extract<Expression, { kind: "case" }>["branches"], source: Source): string {
  if (branches.length === 0) return textOf("", source);
  const texts = branches.map(
    ({ when, text }) => `WHEN ${compilePredicate(when, source)} THEN ${textOf(text, source)}`,
  );
  return `CASE ${texts.join(" ")} END`;
}

/**
 * A condition's text. Conditions are true or false; the text may yield null for
 * false, which WHERE, FILTER, CASE, AND and OR take for the same and engines
 * can look up in their statistics. Under a NOT and as a value it must be exact.
 */
export function compilePredicate(predicate: Predicate, source: Source, isExact = false): string {
  return source.once(predicate, isExact, () => predicateText(predicate, source, isExact));
}

function predicateText(predicate: Predicate, source: Source, isExact: boolean): string {
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
  const value = (of: Expression) => compileExpression(of, source);
  switch (predicate.kind) {
    case "in":
      return equalsAny(value(predicate.of), predicate.values, surroundings);
    case "compare":
      return compares(value(predicate.left), predicate.operator, value(predicate.right), surroundings);
    case "contains":
      return containsAny(value(predicate.of), predicate.texts, surroundings);
    case "matches":
      return matches(value(predicate.of), predicate.pattern, surroundings);
    case "hasElement":
      return hasElement(value(predicate.of), predicate.values, surroundings);
    case "elementAt":
      return elementEquals(value(predicate.of), predicate.position, predicate.value, surroundings);
  }
}
