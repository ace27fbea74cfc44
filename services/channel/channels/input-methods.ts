import { limitsOf } from "../../../base/protobuf/limits.ts";
import { eachViolation } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkText, type Problem } from "../../../base/text/check-text.ts";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { type ContentField, InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import {
  type ArrayRows,
  ArrayRowsSchema,
  ContentValueSchema,
} from "../../../gen/engage/channel/v1/task_pb.ts";
import { DynamicTextError, parseDynamicText } from "./dynamic-text.ts";
import { violationOf } from "./names.ts";

/** A decimal number, which is sent as written. */
const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;
const date = /^(\d{4})-(\d{2})-(\d{2})$/;
const time = /^(\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

/** Maximal length of a value or a cell, in characters. */
const { maxLength: maxValueLength } = limitsOf(ContentValueSchema.field.text);
/** Maximal number of rows of a value. */
const { maxItems: maxRows } = limitsOf(ArrayRowsSchema.field.rows);

/** The check of the text for each input method, except array rows, which are checked cell by cell. */
const checks: ReadonlyMap<InputMethod, (text: string, field: ContentField) => Problem> = new Map([
  [InputMethod.TEXT, () => undefined],
  [InputMethod.DYNAMIC_TEXT, checkDynamicText],
  [InputMethod.NUMBER, checkNumber],
  [InputMethod.DROPDOWN, checkOption],
  [InputMethod.DATE, checkDate],
  [InputMethod.TIME, checkTime],
]);

/** Checks a text for a field; the caller checks whether it may be empty. */
export function checkValue(field: ContentField, text: string): Problem {
  const check = checks.get(field.inputMethod);
  if (check === undefined) return "is a text, valid are rows";
  return checkText(text, maxValueLength) ?? check(text, field);
}

/** Checks rows; fields are relative to the rows, such as `[1].cells["id"]`. @param maxLength characters of a cell */
export function checkRows(
  { columns }: Pick<ContentField, "columns">,
  { rows }: ArrayRows,
  maxLength = maxValueLength,
): readonly Violation[] {
  if (rows.length > maxRows) {
    return [{ field: "", description: `has ${rows.length} rows, at most ${maxRows} are valid` }];
  }
  const known = new Set(columns);
  return eachViolation(rows, ({ cells }, i) =>
    eachViolation(Object.entries(cells), ([column, text]) => {
      const problem = known.has(column)
        ? checkText(text, maxLength)
        : `is not a column, ${knownNames(column, columns)}`;
      return violationOf(`[${i}].cells[${quoteText(column)}]`, problem);
    }),
  );
}

function checkDynamicText(text: string): Problem {
  try {
    parseDynamicText(text);
    return undefined;
  } catch (error) {
    if (error instanceof DynamicTextError) return error.message;
    throw error;
  }
}

function checkNumber(text: string): Problem {
  return number.test(text) ? undefined : `is ${quoteText(text)}, valid are numbers such as 10 or 2.5`;
}

function checkOption(text: string, { options }: ContentField): Problem {
  if (options.includes(text)) return undefined;
  return `is ${quoteText(text)}, ${knownNames(text, options)}`;
}

function checkDate(text: string): Problem {
  return isDate(text) ? undefined : `is ${quoteText(text)}, valid are days such as 2026-01-31`;
}

function checkTime(text: string): Problem {
  const [, day = "", hour, minute, second] = time.exec(text) ?? [];
  const isTime = isDate(day) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
  return isTime ? undefined : `is ${quoteText(text)}, valid are times such as 2026-01-31 18:30:00`;
}

/** Reports whether a text is an existing day, `yyyy-MM-dd`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = date.exec(text) ?? [];
  if (year === undefined) return false;
  const read = new Date(0);
  read.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return read.toISOString().slice(0, 10) === text;
}
