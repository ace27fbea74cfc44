import { setKey } from "../../../base/json/raw-numbers.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { Refusal, refuse } from "../line/line.ts";
import { checkTypeKeys, compileConvert } from "../mapping/convert.ts";
import type { ConfigPath, Problems } from "../mapping/problems.ts";
import { compileTime } from "../mapping/time/time.ts";
import type { ColumnConfig, FormatConfigOf } from "./config.ts";
import type { FieldReader } from "./field-reader.ts";

interface Column {
  readonly name: string;
  readonly convert: ((value: string) => unknown) | undefined;
}

export interface DelimitedContext {
  readonly at: ConfigPath;
  readonly problems: Problems;
  readonly now: () => number;
  readonly nulls: readonly string[];
}

/** Field with the columns after the named ones. */
const extraField = "extra";

export function createDelimitedReader(
  config: FormatConfigOf<"delimited">,
  context: DelimitedContext,
): FieldReader {
  const columns = config.columns.map((column, index) => compileColumn(column, index, config, context));
  const names = columns.map((column) => column.name);
  const keepExtra = config.extraColumns === "keep";
  checkNames(keepExtra ? [...names, extraField] : names, names.length, context);
  const split = config.quotes === "double" ? splitQuoted : splitPlain;
  const read = (line: string) => {
    const values = split(line, config.separator);
    if (typeof values === "string") return refuse("no_match", values);
    const extra = values.length - columns.length;
    if ((extra > 0 && config.extraColumns === "fail") || (extra < 0 && config.missingColumns === "fail")) {
      return refuse("column_count", `want ${exactCountOf(columns.length, "column")}, got ${values.length}`);
    }
    const fields = readColumns(columns, values, context.nulls);
    if (fields instanceof Refusal) return fields;
    if (keepExtra && extra > 0) fields[extraField] = values.slice(columns.length);
    return [fields];
  };
  return { read, knownFields: keepExtra ? [...names, extraField] : names };
}

function readColumns(
  columns: readonly Column[],
  values: readonly string[],
  nulls: readonly string[],
): Record<string, unknown> | Refusal {
  const fields: Record<string, unknown> = {};
  const count = Math.min(columns.length, values.length);
  for (let index = 0; index < count; index++) {
    const { name, convert } = columns[index]!;
    const value = values[index]!;
    if (nulls.includes(value)) continue;
    const converted = convert === undefined ? value : convert(value);
    if (converted instanceof Refusal) return refuse(converted.reason, `${name}: ${converted.message}`);
    setKey(fields, name, converted);
  }
  return fields;
}

function compileColumn(
  column: ColumnConfig,
  index: number,
  config: FormatConfigOf<"delimited">,
  { at, problems, now }: DelimitedContext,
): Column {
  const path = [...at, "columns", index];
  checkTypeKeys(column, path, problems);
  const { name } = column;
  if (column.type !== "time") return { name, convert: compileConvert(column, path, problems) };
  const zone = column.zone ?? config.zone;
  const outputZone = column.outputZone ?? config.outputZone;
  const read = compileTime({ format: column.format, zone, outputZone }, now, path, problems);
  const convert = (value: string) => {
    const time = read(value);
    return time instanceof Refusal ? time : time.text;
  };
  return { name, convert };
}

function checkNames(names: readonly string[], count: number, { at, problems }: DelimitedContext): void {
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name);
    if (first === index) continue;
    const message = `column ${quoteText(name)} is named twice, first as column ${first + 1}`;
    // The field of the extra columns has no index of its own.
    problems.add([...at, "columns", index < count ? index : first], message);
  }
}

/** Returns the longest separator that starts at this position, or undefined. */
function separatorAt(line: string, at: number, separators: readonly string[]): string | undefined {
  let found: string | undefined;
  for (const separator of separators) {
    if (line.startsWith(separator, at) && separator.length > (found?.length ?? 0)) found = separator;
  }
  return found;
}

function splitPlain(line: string, separators: readonly string[]): string[] {
  if (separators.length === 1) return line.split(separators[0]!);
  const values: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; ) {
    const separator = separatorAt(line, at, separators);
    if (separator === undefined) {
      at++;
      continue;
    }
    values.push(line.slice(start, at));
    at += separator.length;
    start = at;
  }
  values.push(line.slice(start));
  return values;
}

/**
 * Splits as RFC 4180 does: a column may be in double quotes, in which a quote is doubled. Returns the message of a
 * fault.
 */
function splitQuoted(line: string, separators: readonly string[]): string[] | string {
  const values: string[] = [];
  for (let at = 0; ; ) {
    let value: string;
    if (line[at] === '"') {
      const end = closingQuote(line, at + 1);
      if (end === -1) return `the quote of column ${values.length + 1} is not closed`;
      value = line.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
      if (at < line.length && separatorAt(line, at, separators) === undefined) {
        return `text after the closing quote of column ${values.length + 1}`;
      }
    } else {
      const end = nextSeparator(line, at, separators);
      value = line.slice(at, end);
      at = end;
    }
    values.push(value);
    if (at >= line.length) return values;
    at += separatorAt(line, at, separators)!.length;
  }
}

function closingQuote(line: string, from: number): number {
  let end = line.indexOf('"', from);
  while (end !== -1 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
  return end;
}

function nextSeparator(line: string, from: number, separators: readonly string[]): number {
  if (separators.length === 1) {
    const found = line.indexOf(separators[0]!, from);
    return found === -1 ? line.length : found;
  }
  let at = from;
  while (at < line.length && separatorAt(line, at, separators) === undefined) at++;
  return at;
}
