import { dayMs, dayOf, hourMs, minuteMs, parseTime } from "./calendar.ts";
import { type Column, type ColumnType, readColumn } from "./columns.ts";
import { type Json, needWord, readList, readObjects, readWord, toNumber, toWhole } from "./form.ts";
import type { ReferenceEvent } from "./ingest.ts";
import type { QueryContext } from "./query.ts";
import { Refused } from "./refused.ts";
import type { Scalar } from "./values.ts";
import { toLocal } from "./zone.ts";

export type Condition = (event: ReferenceEvent) => boolean;

type Kind = ColumnType | "member";
type Rule = readonly [least: number, most: number, types: readonly Kind[]];

const any: readonly Kind[] = [
  "number",
  "text",
  "boolean",
  "time",
  "list",
  "object",
  "object_group",
  "member",
];
const single: readonly Kind[] = ["number", "text", "boolean", "time", "member"];
const ordered: readonly Kind[] = ["number", "time"];
const lists: readonly Kind[] = ["list", "member"];

/** How many literals each takes, and which types of columns it is for. */
export const comparators = {
  equal: [1, Infinity, single],
  notEqual: [1, Infinity, single],
  include: [1, Infinity, ["text"]],
  notInclude: [1, Infinity, ["text"]],
  less: [1, 1, ordered],
  greater: [1, 1, ordered],
  range: [2, 2, ordered],
  isNull: [0, 0, any],
  notNull: [0, 0, any],
  isTrue: [0, 0, ["boolean"]],
  isFalse: [0, 0, ["boolean"]],
  regexMatch: [1, 1, ["text"]],
  notRegexMatch: [1, 1, ["text"]],
  relativeCurrentBetween: [2, 2, ["time"]],
  relativeCurrentBefore: [1, 1, ["time"]],
  relativeEventBefore: [1, 1, ["time"]],
  relativeEventAfter: [1, 1, ["time"]],
  relativeEventAbsolute: [1, 1, ["time"]],
  relativeEventThatDay: [0, 0, ["time"]],
  arrayIncludeItem: [1, Infinity, lists],
  arrayNotIncludeItem: [1, Infinity, lists],
  arrayItemPos: [2, 2, lists],
  arrayIsNull: [0, 0, [...lists, "object_group"]],
  arrayNotNull: [0, 0, [...lists, "object_group"]],
  belongToCluster: [0, 0, ["cohort"]],
  notBelongToCluster: [0, 0, ["cohort"]],
} as const satisfies Readonly<Record<string, Rule>>;
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
  const comparator = needWord(filter, "comparator", `${field}.comparator`, comparatorNames);
  // Conditions on membership name cohorts whatever their tableType is.
  const isMembership = comparator === "belongToCluster" || comparator === "notBelongToCluster";
  const column = readColumn(isMembership ? { ...filter, tableType: "cluster" } : filter, field, context);
  const unit = readWord(filter, "timeUnit", `${field}.timeUnit`, ["day", "hour", "minute"]);
  const texts = readList(filter, "ftv", `${field}.ftv`).map((value) => literal(value, `${field}.ftv`));
  const [least, most, types]: Rule = comparators[comparator];
  const own = column.group === undefined ? column.type : "member";
  if (own !== "nothing" && !types.includes(own)) {
    throw new Refused(`${field}.comparator`, `${comparator} is not for a ${own}`);
  }
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
    case "arrayNotIncludeItem": {
      const values = texts.map((text) => readLiteral(column, text, simple.field));
      const found: Condition = (event) =>
        elementsOf(column, event).some((value) => value !== null && values.includes(value));
      return comparator === "arrayIncludeItem" ? found : (event) => !found(event);
    }
    case "arrayItemPos": {
      const position = whole(texts[0]!);
      if (position < 1) throw new Refused(simple.field, `no position: ${position}`);
      const wanted = readLiteral(column, texts[1]!, simple.field);
      return (event) => elementsOf(column, event)[position - 1] === wanted;
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
  if (column.group !== undefined) {
    const found: Condition = (event) =>
      elementsOf(column, event).some((value) => value !== null && values.includes(value));
    if (comparator === "equal") return found;
    return (event) => column.get(event) !== null && !found(event);
  }
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
      return on((value) => value >= values[0]! && isUpTo(column, value, texts[1]!, values[1]!));
  }
}

/** Compares times: the second, or the day, that a literal names is included completely. */
function isUpTo(column: Column, value: Scalar, text: string, most: Scalar): boolean {
  if (column.type !== "time") return value <= most;
  const length = text.length === 10 ? dayMs : text.length === 19 ? 1000 : 1;
  return Number(value) < Number(most) + length;
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
