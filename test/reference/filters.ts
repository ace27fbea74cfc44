import { dayMs, dayOf, hourMs, minuteMs, parseTime } from "./calendar.ts";
import { type Column, readColumn } from "./columns.ts";
import { type Json, needWord, readList, readObjects, readWord, toNumber, toWhole } from "./form.ts";
import type { ReferenceEvent } from "./ingest.ts";
import type { QueryContext } from "./query.ts";
import { Refused } from "./refused.ts";
import type { Scalar } from "./values.ts";
import { toLocal } from "./zone.ts";

export type Condition = (event: ReferenceEvent) => boolean;

/** How many literals each takes: [least, most]. */
export const comparators = {
  equal: [1, Infinity],
  notEqual: [1, Infinity],
  include: [1, Infinity],
  notInclude: [1, Infinity],
  less: [1, 1],
  greater: [1, 1],
  range: [2, 2],
  isNull: [0, 0],
  notNull: [0, 0],
  isTrue: [0, 0],
  isFalse: [0, 0],
  regexMatch: [1, 1],
  notRegexMatch: [1, 1],
  relativeCurrentBetween: [2, 2],
  relativeCurrentBefore: [1, 1],
  relativeEventBefore: [1, 1],
  relativeEventAfter: [1, 1],
  relativeEventAbsolute: [1, 1],
  relativeEventThatDay: [0, 0],
  arrayIncludeItem: [1, Infinity],
  arrayNotIncludeItem: [1, Infinity],
  arrayItemPos: [2, 2],
  arrayIsNull: [0, 0],
  arrayNotNull: [0, 0],
  belongToCluster: [0, 0],
  notBelongToCluster: [0, 0],
} as const;
export type Comparator = keyof typeof comparators;
const comparatorNames = Object.keys(comparators) as Comparator[];
const units = { day: dayMs, hour: hourMs, minute: minuteMs } as const;

/** @param field path of the object that has `filts` and `relation` */
export function compileFilters(from: Json, field: string, context: QueryContext): Condition {
  const relation = readWord(from, "relation", `${field}.relation`, ["and", "or"]) ?? "and";
  const conditions = readObjects(from, "filts", `${field}.filts`).map((filter, at) =>
    compileFilter(filter, `${field}.filts[${at}]`, context),
  );
  if (conditions.length === 0) return () => true;
  return relation === "and"
    ? (event) => conditions.every((holds) => holds(event))
    : (event) => conditions.some((holds) => holds(event));
}

export function compileFilter(filter: Json, field: string, context: QueryContext): Condition {
  const kind = readWord(filter, "filterType", `${field}.filterType`, ["SIMPLE", "COMPOUND"]) ?? "SIMPLE";
  if (kind === "COMPOUND") return compileFilters(filter, field, context);
  const column = readColumn(filter, field, context);
  const comparator = needWord(filter, "comparator", `${field}.comparator`, comparatorNames);
  const unit = readWord(filter, "timeUnit", `${field}.timeUnit`, ["day", "hour", "minute"]);
  const texts = readList(filter, "ftv", `${field}.ftv`).map((value) => literal(value, `${field}.ftv`));
  const [least, most] = comparators[comparator];
  if (texts.length < least || texts.length > most) {
    throw new Refused(`${field}.ftv`, `${comparator} takes ${least} to ${most} values`);
  }
  const needsUnit = /^relativeEvent(?:Before|After|Absolute)$/.test(comparator);
  if (needsUnit && !unit) throw new Refused(`${field}.timeUnit`, "missing");
  return compileCondition({
    column,
    comparator,
    texts,
    unitMs: unit ? units[unit] : 0,
    field: `${field}.ftv`,
    context,
  });
}

function literal(value: unknown, field: string): string {
  if (typeof value === "object") throw new Refused(field, "no literal");
  return String(value);
}

interface Simple {
  readonly column: Column;
  readonly comparator: Comparator;
  readonly texts: readonly string[];
  readonly unitMs: number;
  readonly field: string;
  readonly context: QueryContext;
}

function compileCondition(simple: Simple): Condition {
  const { column, comparator, texts } = simple;
  const whole = (text: string): number => {
    const value = toWhole(text);
    if (value === undefined) throw new Refused(simple.field, `no whole number: ${text}`);
    return value;
  };
  switch (comparator) {
    case "isNull":
    case "arrayIsNull":
      return (event) => column.get(event) === null;
    case "notNull":
    case "arrayNotNull":
      return (event) => column.get(event) !== null;
    case "isTrue":
      return (event) => column.get(event) === true;
    case "isFalse":
      return (event) => column.get(event) === false;
    case "belongToCluster":
      return (event) => column.get(event) === true;
    case "notBelongToCluster":
      return (event) => column.get(event) !== true;
    case "arrayIncludeItem":
      return (event) => elementsOf(column, event).some((value) => texts.includes(String(value)));
    case "arrayNotIncludeItem":
      return (event) => !elementsOf(column, event).some((value) => texts.includes(String(value)));
    case "arrayItemPos": {
      const position = whole(texts[0]!);
      if (position < 1) throw new Refused(simple.field, `no position: ${position}`);
      return (event) => {
        const value = elementsOf(column, event)[position - 1];
        return value !== undefined && value !== null && String(value) === texts[1];
      };
    }
    case "equal":
    case "notEqual":
    case "include":
    case "notInclude":
    case "less":
    case "greater":
    case "range":
    case "regexMatch":
    case "notRegexMatch":
      return compileValue(simple);
    default:
      return compileRelative(simple, texts.map(whole));
  }
}

function elementsOf(column: Column, event: ReferenceEvent): readonly (Scalar | null)[] {
  const value = column.get(event);
  return Array.isArray(value) ? value : [];
}

/** Conditions on one value; without one none of them holds. */
function compileValue(simple: Simple): Condition {
  const { column, comparator, texts } = simple;
  const on =
    (holds: (value: Scalar) => boolean): Condition =>
    (event) => {
      const value = column.get(event);
      return value !== null && !Array.isArray(value) && holds(value as Scalar);
    };
  switch (comparator) {
    case "include":
      return on((value) => texts.some((text) => String(value).includes(text)));
    case "notInclude":
      return on((value) => !texts.some((text) => String(value).includes(text)));
    case "regexMatch":
    case "notRegexMatch": {
      const pattern = readPattern(texts[0]!, simple.field);
      return on((value) => pattern.test(String(value)) === (comparator === "regexMatch"));
    }
  }
  const values = texts.map((text) => readLiteral(column, text, simple.field));
  switch (comparator) {
    case "equal":
      return on((value) => values.includes(value));
    case "notEqual":
      return on((value) => !values.includes(value));
    case "less":
      return on((value) => value < values[0]!);
    case "greater":
      return on((value) => value > values[0]!);
    default:
      return on((value) => value >= values[0]! && value <= values[1]!);
  }
}

/** The literal, of the column's type. */
function readLiteral(column: Column, text: string, field: string): Scalar {
  switch (column.type) {
    case "number": {
      const value = toNumber(text);
      if (value === undefined) throw new Refused(field, `no number: ${text}`);
      return value;
    }
    case "time": {
      const time = parseTime(text);
      if (!time) throw new Refused(field, `no time: ${text}`);
      return time.ms;
    }
    case "boolean":
      if (text !== "true" && text !== "false") throw new Refused(field, `no boolean: ${text}`);
      return text === "true";
    default:
      return text;
  }
}

function readPattern(text: string, field: string): RegExp {
  try {
    return text.startsWith("(?i)") ? new RegExp(text.slice(4), "iu") : new RegExp(text, "u");
  } catch {
    throw new Refused(field, `no pattern: ${text}`);
  }
}

function compileRelative(simple: Simple, numbers: readonly number[]): Condition {
  const { column, comparator, unitMs, context } = simple;
  const on =
    (holds: (value: number, eventTime: number) => boolean): Condition =>
    (event) => {
      const value = column.type === "time" ? column.get(event) : null;
      return typeof value === "number" && holds(value, toLocal(context.zone, event.time));
    };
  const [first, second] = numbers;
  switch (comparator) {
    case "relativeCurrentBetween":
      return on((value) => {
        const day = dayOf(value);
        return day >= context.today + first! * dayMs && day <= context.today + second! * dayMs;
      });
    case "relativeCurrentBefore":
      return on((value) => dayOf(value) < context.today - first! * dayMs);
    case "relativeEventBefore":
      return on((value, eventTime) => value < eventTime - first! * unitMs);
    case "relativeEventAfter":
      return on((value, eventTime) => value > eventTime + first! * unitMs);
    case "relativeEventAbsolute":
      return on((value, eventTime) => Math.abs(value - eventTime) <= first! * unitMs);
    default:
      return on((value, eventTime) => dayOf(value) === dayOf(eventTime));
  }
}
