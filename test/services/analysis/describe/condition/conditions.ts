import { formatSecond } from "../../../../../base/time/local-time.ts";
import { dayMs } from "../../../../../base/time/units.ts";
import type { Expression, Predicate } from "../../../../../store/events/events.ts";
import { describe } from "../described.ts";

/** A predicate as one can read it. */
export function show(predicate: Predicate): string {
  switch (predicate.kind) {
    case "always":
      return String(predicate.value);
    case "and":
    case "or":
      return `(${predicate.of.map(show).join(` ${predicate.kind} `)})`;
    case "not":
      return `not ${show(predicate.of)}`;
    case "isNull":
      return `${name(predicate.of)} is null`;
    case "in":
      return `${name(predicate.of)} in ${JSON.stringify(predicate.values)}`;
    case "compare":
      return `${name(predicate.left)} ${predicate.operator} ${name(predicate.right)}`;
    case "contains":
      return `${name(predicate.of)} contains ${JSON.stringify(predicate.texts)}`;
    case "matches":
      return `${name(predicate.of)} matches ${predicate.pattern}`;
    case "hasElement":
      return `${name(predicate.of)} has ${JSON.stringify(predicate.values)}`;
    case "elementAt":
      return `${name(predicate.of)}[${predicate.position}] = ${JSON.stringify(predicate.value)}`;
    case "inCohort":
      return `in ${predicate.cohort.name}@${predicate.cohort.day ?? "newest"}`;
  }
}

export function name(expression: Expression): string {
  switch (expression.kind) {
    case "property":
      return `${expression.property.table === "user" ? "user." : ""}${expression.property.name}`;
    case "builtin":
      return `#${expression.name}`;
    case "local":
      return `local(${name(expression.of)})`;
    case "startOfDay":
      return `day(${name(expression.of)})`;
    case "number":
      return expression.value > dayMs * 1_000 ? formatSecond(expression.value) : String(expression.value);
    case "arithmetic":
      return `${name(expression.left)} ${expression.operator} ${name(expression.right)}`;
    case "tag":
      return `tag ${expression.cohort.name}`;
    default:
      return expression.kind;
  }
}

export const filter = (columnName: string, comparator: string, ftv: unknown[] = [], more: object = {}) => ({
  columnName,
  comparator,
  ftv,
  tableType: "event",
  ...more,
});

export const whereOf = (...filts: object[]) =>
  show(describe({ view: { filts } }).scans[0]!.measures[0]!.where);

export const cluster = { tableType: "cluster" };
