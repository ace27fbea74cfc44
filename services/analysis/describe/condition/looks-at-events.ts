import type { Builtin, Expression, Predicate } from "../../../../store/events/events.ts";

const ofEvents: ReadonlySet<Builtin> = new Set([
  "event_name",
  "event_time",
  "server_time",
  "account_id",
  "distinct_id",
]);

/** Reports whether a condition refers to anything other than the user. */
export function looksAtEvents(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "always":
    case "inCohort":
      return false;
    case "and":
    case "or":
      return predicate.of.some(looksAtEvents);
    case "not":
      return looksAtEvents(predicate.of);
    case "compare":
      return isOfEvents(predicate.left) || isOfEvents(predicate.right);
    default:
      return isOfEvents(predicate.of);
  }
}

function isOfEvents(expression: Expression): boolean {
  switch (expression.kind) {
    case "property":
      return expression.property.table === "event";
    case "builtin":
      return ofEvents.has(expression.name);
    case "local":
    case "startOfDay":
    case "lookup":
      return isOfEvents(expression.of);
    case "arithmetic":
      return isOfEvents(expression.left) || isOfEvents(expression.right);
    case "first":
      return expression.of.some(isOfEvents);
    case "case":
      return expression.branches.some(({ when }) => looksAtEvents(when));
    default:
      return false;
  }
}
