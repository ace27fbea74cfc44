import { dayMs } from "../../../../base/time/units.ts";
import type { Expression, Predicate, ZoneStep } from "../../scan.ts";
import type { ScalarType } from "../dialect.ts";
import type { ScalarValue } from "../parameters.ts";
import { nullOf, type Source } from "../source.ts";
import { compileSteps } from "./case-tree.ts";
import { compares, containsAny, elementEquals, equalsAny, hasElement, matches } from "./comparison.ts";
import { asNumber, asText, asTime, builtinTypes, propertyType, scalarValue, type Value } from "./value.ts";

export function compileExpression(expression: Expression, source: Source): Value {
  const { context } = source;
  const { parameters, zone } = context;
  const time = (of: Expression) => asTime(compileExpression(of, source), context);
  switch (expression.kind) {
    case "property": {
      const { property } = expression;
      const mayOccur = context.relations.fewTexts?.(property);
      return { sql: source.property(property), type: propertyType(property), mayOccur };
    }
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
      return scalarValue(source.tag(expression.cohort), "text");
  }
}

/** Empty text is null. */
function textOf(text: string, { context: { dialect, parameters } }: Source): string {
  return text === "" ? nullOf(dialect, "text") : parameters.bind("text", text);
}

/** A result outside the range of doubles is null, like a division by zero. */
function compileArithmetic(
  { operator, left, right }: Extract<Expression, { kind: "arithmetic" }>,
  source: Source,
): string {
  const { context } = source;
  const [a, b] = [left, right].map((side) => asNumber(compileExpression(side, source), context));
  const result = `${a} ${operator} ${b}`;
  const divisor = operator === "/" ? `${b} <> 0 AND ` : "";
  return `CASE WHEN ${divisor}${context.dialect.isFinite(`(${result})`)} THEN ${result} END`;
}

/** All values have the type of the first which is not null. */
function compileFirst(of: readonly Expression[], source: Source): Value {
  const all = of.filter(({ kind }) => kind !== "null").map((one) => compileExpression(one, source));
  const [first] = all;
  if (first === undefined) return scalarValue(textOf("", source), "text");
  const alike = all.filter(({ type }) => type.of === first.type.of && type.isList === first.type.isList);
  const values = alike.map(({ sql }) => sql);
  return { sql: source.context.dialect.firstOf(values, first.type), type: first.type };
}

function compileCase(branches: Extract<Expression, { kind: "case" }>["branches"], source: Source): string {
  if (branches.length === 0) return textOf("", source);
  const texts = branches.map(
    ({ when, text }) => `WHEN ${compilePredicate(when, source)} THEN ${textOf(text, source)}`,
  );
  return `CASE ${texts.join(" ")} END`;
}

/**
 * Compiles a condition. Conditions are true or false; the SQL may be null for false, which WHERE,
 * FILTER, CASE, AND and OR treat alike, and which lets engines use their statistics. Under NOT and as a
 * value it must be exact.
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
      return `(${sql} IS NULL OR ${source.context.dialect.isEmptyList(sql)})`;
    }
    case "inCohort": {
      const { relations } = source.context;
      return `(${source.column("user_id")} IN (SELECT user_id FROM ${relations.cohort(predicate.cohort)} c))`;
    }
    default: {
      const sql = compileComparison(predicate, source);
      return isExact && sql !== "false" ? `coalesce(${sql}, false)` : sql;
    }
  }
}

type Comparison = Exclude<Predicate, { kind: "always" | "and" | "or" | "not" | "isNull" | "inCohort" }>;

function compileComparison(predicate: Comparison, source: Source): string {
  const { context } = source;
  const value = (of: Expression) => compileExpression(of, source);
  switch (predicate.kind) {
    case "in":
      return equalsAny(value(predicate.of), predicate.values, context);
    case "compare":
      return compares(value(predicate.left), predicate.operator, value(predicate.right), context);
    case "contains":
      return containsAny(value(predicate.of), predicate.texts, context);
    case "matches":
      return matches(value(predicate.of), predicate.pattern, context);
    case "hasElement":
      return hasElement(value(predicate.of), predicate.values, context);
    case "elementAt":
      return elementEquals(value(predicate.of), predicate.position, predicate.value, context);
  }
}

export function toLocal(instant: string, zone: readonly ZoneStep[]): string {
  const [first, ...later] = zone;
  if (first?.offsetMs === 0 && later.length === 0) return instant;
  const offset = compileSteps(
    instant,
    later.map(({ fromMs }) => String(fromMs)),
    (step) => String(zone[step]?.offsetMs ?? 0),
  );
  return `(${instant} + ${offset})`;
}

/** Rounds down for times before 1970 too. */
function toDay(local: string): string {
  return `(${local} - ((${local} % ${dayMs}) + ${dayMs}) % ${dayMs})`;
}

/** Compiles the lookup of the text for a value. */
function compileLookup(of: Value, texts: ReadonlyMap<string, string>, source: Source): string {
  const { context } = source;
  const given = [...texts].filter(([, text]) => text !== "");
  const keyed = of.type.isList ? [] : keysFor(of.type.of, given);
  if (keyed.length === 0) return nullOf(context.dialect, "text");
  const isText = of.type.of === "text" || of.type.of === "event";
  return source.lookup(
    isText ? asText(of, context) : of.sql,
    isText ? "text" : of.type.of,
    keyed.map(([key]) => key),
    keyed.map(([, text]) => text),
  );
}

/** Converts keys to values of the type; keys which are not the text of such a value are left out. */
function keysFor(of: ScalarType, entries: readonly (readonly [key: string, text: string])[]) {
  return entries.flatMap(([key, text]): (readonly [ScalarValue, string])[] => {
    const value = keyFor(of, key);
    return value === undefined ? [] : [[value, text]];
  });
}

function keyFor(of: ScalarType, key: string): ScalarValue | undefined {
  switch (of) {
    case "number":
      return String(Number(key)) === key && Number.isFinite(Number(key)) ? Number(key) : undefined;
    case "integer":
      return String(Number(key)) === key && Number.isSafeInteger(Number(key)) ? Number(key) : undefined;
    case "boolean":
      return key === "true" || key === "false" ? key === "true" : undefined;
    default:
      return key;
  }
}
