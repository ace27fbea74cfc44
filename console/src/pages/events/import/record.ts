import {
  type ColumnType,
  type Mapping,
  type PropertyColumn,
  type Sample,
  type Source,
  valuesOf,
} from "./mapping.ts";
import { readNumber } from "./numbers.ts";
import { readTime } from "./times.ts";

/** What a row lacks for a record. */
export type RowFault = "noTime" | "noUser" | "noEvent";

/** A record as a line of JSON, or why a row makes none. */
export type MappedRow =
  | { readonly line: string; readonly fault?: never }
  | { readonly fault: RowFault; readonly value: string; readonly line?: never };

/** A value that does not have the type of its column. */
export interface Misfit {
  readonly index: number;
  readonly value: string;
}

/**
 * Makes the record of a row.
 * @param uuid identifies the row, so that one which is sent again is counted once
 */
export function recordOf(row: readonly string[], mapping: Mapping, uuid: string): MappedRow {
  const event = textOf(row, mapping.event);
  if (event === "") return { fault: "noEvent", value: "" };
  const user = textOf(row, mapping.user);
  if (user === "") return { fault: "noUser", value: "" };
  const timeText = row[mapping.time] ?? "";
  const time = readTime(timeText, mapping.order);
  if (time === undefined) return { fault: "noTime", value: timeText };
  const members = mapping.properties.flatMap((property) => {
    const value = propertyValue(row[property.index] ?? "", property, mapping);
    return value === undefined ? [] : [`${JSON.stringify(property.name)}:${value}`];
  });
  if (time.isUtc) members.push('"#zone_offset":0');
  const root = [
    '"#type":"track"',
    `"#event_name":${JSON.stringify(event)}`,
    `"#account_id":${JSON.stringify(user)}`,
    `"#time":${JSON.stringify(time.text)}`,
    `"#uuid":${JSON.stringify(uuid)}`,
  ];
  return { line: `{${root.join()},"properties":{${members.join()}}}` };
}

function textOf(row: readonly string[], source: Source): string {
  return source.kind === "text" ? source.text : (row[source.index] ?? "").trim();
}

/** Returns the JSON of a value. What does not have its column's type stays a text, which the server judges. */
function propertyValue(value: string, { name, type }: PropertyColumn, mapping: Mapping): string | undefined {
  if (name === "" || value === "") return undefined;
  return typedValue(value, type, mapping) ?? JSON.stringify(value);
}

/** Returns the JSON of a value of a type; undefined if the value does not have the type. */
function typedValue(value: string, type: ColumnType, { order, mark }: Mapping): string | undefined {
  if (type === "text") return JSON.stringify(value);
  // The digits stay as they are written, beyond 2^53 too.
  if (type === "number") return readNumber(value, mark);
  if (type === "boolean") return /^\s*(true|false)\s*$/i.test(value) ? value.trim().toLowerCase() : undefined;
  const time = readTime(value, order);
  return time && JSON.stringify(time.text);
}

/** Returns the first property with a value which does not have the property's type, so that it stays a text. */
export function misfitOf(sample: Sample, mapping: Mapping): Misfit | undefined {
  for (const { name, index, type } of mapping.properties) {
    const value = valuesOf(sample, index).find((one) => typedValue(one, type, mapping) === undefined);
    if (name !== "" && value !== undefined) return { index, value };
  }
  return undefined;
}
