import { dayMs } from "../../../../base/time/units.ts";
import { Comparator } from "../../../../gen/engage/analysis/v1/filter_pb.ts";
import type { Expression, Predicate } from "../../../../store/events/events.ts";
import { type Column, type ColumnType, eventTime, storedValue } from "../column/column.ts";
import { allOf, negate } from "../context.ts";
import { queryLimits } from "../limits.ts";
import { type Literals, numberOf } from "./literal.ts";

/** The parts of a condition whose column and literals are valid. */
export interface Comparison {
  readonly column: Column;
  readonly literals: Literals;
  /** Milliseconds of the condition's unit; 0 without a unit. */
  readonly unitMs: number;
  /** Start of today in local time. */
  readonly today: number;
}

export interface ComparatorRule {
  /** Least and most literals. */
  readonly arity: readonly [number, number];
  /** Types of columns that it applies to; `member` stands for members of object groups. */
  readonly types: readonly (ColumnType | "member")[];
  readonly needsUnit?: true;
  /** Returns undefined when a literal was refused. */
  readonly compile: (comparison: Comparison) => Predicate | undefined;
}

const anyType = ["number", "text", "boolean", "time", "list", "object", "object_group", "member"] as const;
const values = ["number", "text", "boolean", "time", "member"] as const;
const ordered = ["number", "time"] as const;
const lists = ["list", "member"] as const;
const many: readonly [number, number] = [1, queryLimits.literals];
const none: readonly [number, number] = [0, 0];
const one: readonly [number, number] = [1, 1];
const two: readonly [number, number] = [2, 2];

type Compile = ComparatorRule["compile"];

const isNull: Compile = ({ column }) => ({ kind: "isNull", of: storedValue(column) });
const notNull: Compile = ({ column }) => negate({ kind: "isNull", of: storedValue(column) });

/** Negates a condition; null has no value, so it satisfies neither. */
const unless =
  (compile: Compile): Compile =>
  (comparison) => {
    const held = compile(comparison);
    return held && allOf([notNull(comparison)!, negate(held)]);
  };

const hasElement: Compile = ({ column, literals }) => {
  const elements = literals.texts.map((_, at) => literals.element(at));
  if (elements.includes(undefined)) return undefined;
  return { kind: "hasElement", of: storedValue(column), values: elements as (string | number | boolean)[] };
};

const equal: Compile = (comparison) => {
  const { column, literals } = comparison;
  if (column.member !== undefined) return hasElement(comparison);
  const found = literals.values();
  return found && { kind: "in", of: column.value, values: found };
};

const contains: Compile = ({ column, literals }) => ({
  kind: "contains",
  of: column.value,
  texts: [...new Set(literals.texts)],
});

const matches: Compile = ({ column, literals }) => {
  const pattern = literals.pattern(0);
  return pattern === undefined ? undefined : { kind: "matches", of: column.value, pattern };
};

const is =
  (value: boolean): Compile =>
  ({ column }) => ({ kind: "in", of: column.value, values: [value] });

const inOrder =
  (operator: "<" | ">"): Compile =>
  ({ column, literals }) => {
    const bound = literals.number(0);
    return bound === undefined ? undefined : compare(column.value, operator, numberOf(bound));
  };

/** Compiles a range; a time at its end includes the whole second or day. */
const range: Compile = ({ column, literals }) => {
  const [least, most] = [literals.number(0), literals.number(1)];
  if (least === undefined || most === undefined) return undefined;
  const upper =
    column.type === "time"
      ? compare(column.value, "<", numberOf(literals.timeEnd(1)!))
      : compare(column.value, "<=", numberOf(most));
  return allOf([compare(column.value, ">=", numberOf(least)), upper]);
};

const elementAt: Compile = ({ column, literals }) => {
  const position = literals.whole(0, 1, queryLimits.literals);
  const value = literals.element(1);
  if (position === undefined || value === undefined) return undefined;
  return { kind: "elementAt", of: storedValue(column), position, value };
};

const days = queryLimits.days;

const currentBetween: Compile = ({ column, literals, today }) => {
  const [from, to] = [literals.whole(0, -days, days), literals.whole(1, -days, days)];
  if (from === undefined || to === undefined) return undefined;
  return allOf([
    compare(column.value, ">=", numberOf(today + from * dayMs)),
    compare(column.value, "<", numberOf(today + (to + 1) * dayMs)),
  ]);
};

const currentBefore: Compile = ({ column, literals, today }) => {
  const before = literals.whole(0, -days, days);
  return before === undefined ? undefined : compare(column.value, "<", numberOf(today - before * dayMs));
};

/** @param side -1: before the event, 1: after it */
const eventDistance =
  (operator: "<" | "<=" | ">" | ">=", side: -1 | 1): Compile =>
  ({ column, literals, unitMs }) => {
    const distance = literals.whole(0, 0, Math.floor((days * dayMs) / unitMs));
    if (distance === undefined) return undefined;
    const shifted: Expression = {
      kind: "arithmetic",
      operator: "+",
      left: eventTime,
      right: numberOf(side * distance * unitMs),
    };
    return compare(column.value, operator, shifted);
  };

const eventWithin: Compile = (comparison) => {
  const [after, before] = [eventDistance(">=", -1)(comparison), eventDistance("<=", 1)(comparison)];
  return after && before && allOf([after, before]);
};

const sameDay: Compile = ({ column }) => {
  const [day, eventDay] = [startOfDay(column.value), startOfDay(eventTime)];
  return allOf([compare(day, ">=", eventDay), compare(day, "<=", eventDay)]);
};

const member =
  (isIn: boolean): Compile =>
  ({ column }) =>
    isIn ? column.cohort : column.cohort && negate(column.cohort);

export const comparatorRules: Partial<Record<Comparator, ComparatorRule>> = {
  [Comparator.EQUAL]: { arity: many, types: values, compile: equal },
  [Comparator.NOT_EQUAL]: { arity: many, types: values, compile: unless(equal) },
  [Comparator.INCLUDE]: { arity: many, types: ["text"], compile: contains },
  [Comparator.NOT_INCLUDE]: { arity: many, types: ["text"], compile: unless(contains) },
  [Comparator.LESS]: { arity: one, types: ordered, compile: inOrder("<") },
  [Comparator.GREATER]: { arity: one, types: ordered, compile: inOrder(">") },
  [Comparator.RANGE]: { arity: two, types: ordered, compile: range },
  [Comparator.IS_NULL]: { arity: none, types: anyType, compile: isNull },
  [Comparator.NOT_NULL]: { arity: none, types: anyType, compile: notNull },
  [Comparator.IS_TRUE]: { arity: none, types: ["boolean"], compile: is(true) },
  [Comparator.IS_FALSE]: { arity: none, types: ["boolean"], compile: is(false) },
  [Comparator.REGEX_MATCH]: { arity: one, types: ["text"], compile: matches },
  [Comparator.NOT_REGEX_MATCH]: { arity: one, types: ["text"], compile: unless(matches) },
  [Comparator.RELATIVE_CURRENT_BETWEEN]: { arity: two, types: ["time"], compile: currentBetween },
  [Comparator.RELATIVE_CURRENT_BEFORE]: { arity: one, types: ["time"], compile: currentBefore },
  [Comparator.RELATIVE_EVENT_BEFORE]: {
    arity: one,
    types: ["time"],
    needsUnit: true,
    compile: eventDistance("<", -1),
  },
  [Comparator.RELATIVE_EVENT_AFTER]: {
    arity: one,
    types: ["time"],
    needsUnit: true,
    compile: eventDistance(">", 1),
  },
  [Comparator.RELATIVE_EVENT_ABSOLUTE]: {
    arity: one,
    types: ["time"],
    needsUnit: true,
    compile: eventWithin,
  },
  [Comparator.RELATIVE_EVENT_THAT_DAY]: { arity: none, types: ["time"], compile: sameDay },
  [Comparator.ARRAY_INCLUDE_ITEM]: { arity: many, types: lists, compile: hasElement },
  [Comparator.ARRAY_NOT_INCLUDE_ITEM]: {
    arity: many,
    types: lists,
    compile: (comparison) => {
      const held = hasElement(comparison);
      return held && negate(held);
    },
  },
  [Comparator.ARRAY_ITEM_POS]: { arity: two, types: lists, compile: elementAt },
  [Comparator.ARRAY_IS_NULL]: { arity: none, types: [...lists, "object_group"], compile: isNull },
  [Comparator.ARRAY_NOT_NULL]: { arity: none, types: [...lists, "object_group"], compile: notNull },
  [Comparator.BELONG_TO_CLUSTER]: { arity: none, types: ["cohort"], compile: member(true) },
  [Comparator.NOT_BELONG_TO_CLUSTER]: { arity: none, types: ["cohort"], compile: member(false) },
};

function compare(left: Expression, operator: "<" | "<=" | ">" | ">=", right: Expression): Predicate {
  return { kind: "compare", operator, left, right };
}

function startOfDay(of: Expression): Expression {
  return { kind: "startOfDay", of };
}
