import type { Measure, Predicate } from "../../scan.ts";
import type { Source } from "../source.ts";
import { compilePredicate } from "./expression.ts";

/** The conditions of several measures, divided so that their common part is evaluated once. */
export interface Conditions {
  /** The numbers of the events that some measure counts; undefined matches any event. */
  readonly events: readonly number[] | undefined;
  /** The condition for WHERE; undefined when all rows are needed. */
  readonly common: string | undefined;
  /** The remaining condition of each measure; undefined when there is none. */
  readonly own: readonly (string | undefined)[];
}

type MeasureConditions = Pick<Measure, "events" | "where">;

export function compileConditions(measures: readonly MeasureConditions[], source: Source): Conditions {
  const events = unionOf(measures.map((measure) => measure.events));
  const eventParts = measures.map((measure) => {
    const isAll = measure.events === undefined || new Set(measure.events).size === events?.length;
    return isAll ? undefined : eventIn(measure.events, source);
  });
  const conditions = measures.map((measure, at) => {
    const parts = conjuncts(measure.where).map((part) => compilePredicate(part, source));
    return new Set([eventParts[at], ...parts].filter((part) => part !== undefined));
  });
  const [first, ...others] = conditions;
  const shared = [...(first ?? [])].filter((part) => others.every((parts) => parts.has(part)));
  const isShared = new Set(shared);
  const own = conditions.map((parts) => joinAll([...parts].filter((part) => !isShared.has(part))));
  // All events that are read are those of a measure without further conditions.
  const isByEvent = own.every((part, at) => part === eventParts[at]);
  const any = own.includes(undefined) || isByEvent ? [] : [`(${[...new Set(own)].join(" OR ")})`];
  return { events, common: joinAll(own.length === 0 ? shared : [...shared, ...any]), own };
}

function unionOf(lists: readonly (readonly number[] | undefined)[]): readonly number[] | undefined {
  if (lists.includes(undefined)) return undefined;
  return [...new Set(lists.flatMap((list) => list ?? []))].sort((a, b) => a - b);
}

function eventIn(events: readonly number[], source: Source): string {
  const column = source.column("event");
  if (events.length === 0) return "false";
  return events.length === 1 ? `(${column} = ${events[0]})` : `(${column} IN (${events.join(", ")}))`;
}

function conjuncts(predicate: Predicate): readonly Predicate[] {
  if (predicate.kind === "and") return predicate.of.flatMap(conjuncts);
  return predicate.kind === "always" && predicate.value ? [] : [predicate];
}

function joinAll(parts: readonly string[]): string | undefined {
  return parts.length > 1 ? `(${parts.join(" AND ")})` : parts[0];
}
