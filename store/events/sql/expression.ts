import type { Expression } from "../scan.ts";
import type { Property } from "../schema.ts";
import { type ScalarType, scalar, type ValueType } from "./dialect.ts";
import { compilePredicate } from "./predicate.ts";
import { nullOf, type Source, type Surroundings } from "./source.ts";
import { intoSteps } from "./steps.ts";

/** An expression's text and what it yields. */
export interface Compiled {
  readonly sql: string;
  readonly type: ValueType;
}

export const dayMs = 86_400_000;

export function compileExpression(expression: Expression, source: Source): Compiled {
  const { dialect, parameters } = source.surroundings;
  switch (expression.kind) {
    case "property":
      return { sql: source.property(expression.property), type: typeOf(expression.property) };
    case "builtin":
      if (expression.name === "event_name") return { sql: source.column("event"), type: scalar("event") };
      return { sql: source.builtin(expression.name), type: scalar(builtinTypes[expression.name]) };
    case "number":
      return { sql: parameters.bind("number", expression.value), type: scalar("number") };
    case "text":
      return expression.value === ""
        ? { sql: nullOf(dialect, "text"), type: scalar("text") }
        : { sql: parameters.bind("text", expression.value), type: scalar("text") };
    case "null":
      return { sql: nullOf(dialect, "text"), type: scalar("text") };
    case "local":
      return { sql: toLocal(asTime(expression.of, source), source.surroundings), type: scalar("integer") };
    case "startOfDay":
      return { sql: toDay(asTime(expression.of, source)), type: scalar("integer") };
    case "arithmetic":
      return { sql: compileArithmetic(expression, source), type: scalar("number") };
    case "lookup":
      return { sql: compileLookup(expression, source), type: scalar("text") };
    case "first":
      return compileFirst(expression.of, source);
    case "case":
      return { sql: compileCase(expression.branches, source), type: scalar("text") };
    case "tag":
      return { sql: source.tag(expression.cluster), type: scalar("text") };
  }
}

/** A double; null for what is no number and no time. */
export function asNumber(expression: Expression, source: Source): string {
  const { dialect } = source.surroundings;
  const { sql, type } = compileExpression(expression, source);
  if (type.isList) return nullOf(dialect, "number");
  if (type.of === "integer") return dialect.cast(sql, scalar("number"));
  return type.of === "number" ? sql : nullOf(dialect, "number");
}

/** Null for what is no text. */
export function asText(expression: Expression, source: Source): string {
  const { dialect, parameters, relations } = source.surroundings;
  const { sql, type } = compileExpression(expression, source);
  if (type.isList || (type.of !== "text" && type.of !== "event")) return nullOf(dialect, "text");
  if (type.of === "text") return sql;
  const names: string[] = [];
  for (const { name, number } of relations.schema.events.values()) names[number - 1] = name;
  return dialect.elementAt(
    parameters.bindList(
      "text",
      Array.from(names, (name) => name ?? ""),
    ),
    sql,
  );
}

function asTime(expression: Expression, source: Source): string {
  const { dialect } = source.surroundings;
  const { sql, type } = compileExpression(expression, source);
  if (type.isList) return nullOf(dialect, "integer");
  if (type.of === "number") return dialect.cast(sql, scalar("integer"));
  return type.of === "integer" ? sql : nullOf(dialect, "integer");
}

function typeOf({ type, group }: Property): ValueType {
  if (type === "list") return { of: "text", isList: true };
  // Objects and object groups are JSON text.
  const isObject = type === "object" || type === "object_group";
  return { of: isObject ? "text" : type === "time" ? "integer" : type, isList: group !== undefined };
}

const builtinTypes = {
  event_time: "integer",
  server_time: "integer",
  user_id: "integer",
  account_id: "text",
  distinct_id: "text",
  user_account_id: "text",
  user_distinct_id: "text",
} as const satisfies Record<string, ScalarType>;

function toLocal(instant: string, { zone }: Surroundings): string {
  const [first, ...later] = zone;
  const offset = intoSteps(
    instant,
    later.map(({ fromMs }) => String(fromMs)),
    (step) => String(zone[step]?.offsetMs ?? 0),
  );
  return first?.offsetMs === 0 && later.length === 0 ? instant : `(${instant} + ${offset})`;
}

/** Rounds down for times before 1970 too. */
function toDay(local: string): string {
  return `(${local} - ((${local} % ${dayMs}) + ${dayMs}) % ${dayMs})`;
}

/** What leaves the range of doubles is no value, like a division by zero. */
function compileArithmetic(
  { operator, left, right }: Extract<Expression, { kind: "arithmetic" }>,
  source: Source,
): string {
  const { dialect } = source.surroundings;
  const [a, b] = [asNumber(left, source), asNumber(right, source)];
  const result = `${a} ${operator} ${b}`;
  const divisor = operator === "/" ? `${b} <> 0 AND ` : "";
  return `CASE WHEN ${divisor}${dialect.isFinite(`(${result})`)} THEN ${result} END`;
}

function compileLookup({ of, texts }: Extract<Expression, { kind: "lookup" }>, source: Source): string {
  const { dialect } = source.surroundings;
  const { sql, type } = compileExpression(of, source);
  const entries = [...texts].filter(([, text]) => text !== "");
  if (type.isList || entries.length === 0) return nullOf(dialect, "text");
  if (type.of === "number" || type.of === "integer") {
    const numbers = entries.filter(([key]) => String(Number(key)) === key && Number.isFinite(Number(key)));
    return source.lookup(
      sql,
      type.of,
      numbers.map(([key]) => Number(key)),
      numbers.map(([, text]) => text),
    );
  }
  if (type.of === "boolean") {
    const branches = entries.filter(([key]) => key === "true" || key === "false");
    return source.lookup(
      sql,
      "boolean",
      branches.map(([key]) => key === "true"),
      branches.map(([, text]) => text),
    );
  }
  return source.lookup(
    asText(of, source),
    "text",
    entries.map(([key]) => key),
    entries.map(([, text]) => text),
  );
}

/** Of one type: that of the first that can have a value. */
function compileFirst(of: readonly Expression[], source: Source): Compiled {
  const { dialect } = source.surroundings;
  const all = of.filter(({ kind }) => kind !== "null").map((one) => compileExpression(one, source));
  const [first] = all;
  if (first === undefined) return { sql: nullOf(dialect, "text"), type: scalar("text") };
  const alike = all.filter(({ type }) => type.of === first.type.of && type.isList === first.type.isList);
  return { sql: `coalesce(${alike.map(({ sql }) => sql).join(", ")})`, type: first.type };
}

function compileCase(branches: Extract<Expression, { kind: "case" }>["branches"], source: Source): string {
  const { dialect, parameters } = source.surroundings;
  if (branches.length === 0) return nullOf(dialect, "text");
  const texts = branches.map(({ when, text }) => {
    const then = text === "" ? nullOf(dialect, "text") : parameters.bind("text", text);
    return `WHEN ${compilePredicate(when, source)} THEN ${then}`;
  });
  return `CASE ${texts.join(" ")} END`;
}
