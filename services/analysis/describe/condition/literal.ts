import { RE2JS } from "re2js";
import { parseDecimal } from "../../../../base/text/decimal.ts";
import type { Expression } from "../../../../store/events/events.ts";
import { endOfWritten, parseWrittenTime } from "../../local-time.ts";
import type { Column } from "../column/column.ts";
import type { DescribeContext } from "../context.ts";
import { queryLimits } from "../limits.ts";
import { warnOfDigits } from "../problems.ts";
import { firstInstant } from "../time/zone.ts";
import { patternSize } from "./pattern-size.ts";

/** Reads the literals of one condition; each method refuses an invalid literal and returns undefined. */
export interface Literals {
  readonly texts: readonly string[];
  /** Returns values of the column; for times the start of the named second or day. */
  values(): readonly (string | number | boolean)[] | undefined;
  number(at: number): number | undefined;
  /** Returns the end of the second or day that the literal names, if the column is a time. */
  timeEnd(at: number): number | undefined;
  whole(at: number, least: number, most: number): number | undefined;
  pattern(at: number): string | undefined;
  /** Returns an element of the column's lists. */
  element(at: number): string | number | boolean | undefined;
}

export function createLiterals(
  texts: readonly string[],
  column: Column,
  field: string,
  context: DescribeContext,
): Literals {
  const refuse = (at: number, rule: string): undefined => {
    context.problems.refuse(`${field}[${at}]`, texts[at], rule);
    return undefined;
  };
  const value = (at: number) => {
    const read = readValue(column, texts[at]!);
    if (column.type === "number") warnOfDigits(context.problems, `${field}[${at}]`, texts[at]!);
    if (read !== undefined) return read;
    const hasSpaces = column.type === "number" && isSpaced(texts[at]!);
    return refuse(at, hasSpaces ? spacesRule : (valueRules[column.type] ?? "can't be compared"));
  };
  const element = (at: number) => {
    const read = value(at);
    // Members of object groups are compared as stored, where times are instants.
    const isInstant = column.member?.type === "time" && column.member.table === "event";
    return isInstant && typeof read === "number" ? firstInstant(context.zone.steps, read) : read;
  };
  return {
    texts,
    values() {
      const found = texts.map((_, at) => value(at));
      return found.includes(undefined) ? undefined : [...new Set(found as (string | number | boolean)[])];
    },
    number(at) {
      const read = value(at);
      return typeof read === "number" ? read : undefined;
    },
    timeEnd(at) {
      const time = parseWrittenTime(texts[at]!);
      return time === undefined ? undefined : endOfWritten(time);
    },
    whole(at, least, most) {
      const text = texts[at]!;
      const number = /^[+-]?\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
      if (number >= least && number <= most) return number;
      const rule = `must be a whole number from ${least} to ${most}`;
      return refuse(at, isSpaced(text) ? `${rule}, without spaces around it` : rule);
    },
    pattern(at) {
      const fault = faultOfPattern(texts[at]!, context);
      return fault === undefined ? texts[at]! : refuse(at, fault);
    },
    element,
  };
}

const spacesRule = "must be a finite number without spaces around it, because the column is a number";
const numberRule = "must be a finite number, because the column is a number";
const timeRule =
  "must be an existing time, as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, because the column is a time";
const valueRules: Partial<Record<Column["type"], string>> = {
  number: numberRule,
  time: timeRule,
  boolean: 'must be "true" or "false", because the column is a boolean',
};

function readValue({ type }: Column, text: string): string | number | boolean | undefined {
  switch (type) {
    case "number":
      return parseDecimal(text);
    case "time":
      return parseWrittenTime(text)?.localMs;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    default:
      return text;
  }
}

function isSpaced(text: string): boolean {
  return text !== text.trim();
}

function faultOfPattern(pattern: string, { counts }: DescribeContext): string | undefined {
  if (pattern === "") return "must be a regular expression in RE2 syntax";
  if (pattern.length > queryLimits.patternCharacters) {
    return `must have at most ${queryLimits.patternCharacters} characters`;
  }
  counts.patternSteps += patternSize(pattern);
  if (counts.patternSteps > queryLimits.patternSteps) {
    return `is too large: with repetitions written out, the regular expressions of a query may have ${queryLimits.patternSteps} steps`;
  }
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `must be a regular expression in RE2 syntax: ${(error as Error).message}`;
  }
}

export function numberOf(value: number): Expression {
  return { kind: "number", value };
}
