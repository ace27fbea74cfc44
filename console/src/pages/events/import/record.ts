import { isNumber, type Mapping, type PropertyColumn, type Source } from "./mapping.ts";
import { type DateOrder, readTime } from "./times.ts";

/** A record as a line of JSON, or why a row makes none. */
export type MappedRow =
  | { readonly line: string; readonly fault?: never }
  | { readonly fault: "noTime" | "noUser" | "noEvent"; readonly value: string; readonly line?: never };

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
    const value = propertyValue(row[property.index] ?? "", property, mapping.order);
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
function propertyValue(value: string, { name, type }: PropertyColumn, order: DateOrder): string | undefined {
  if (name === "" || value === "") return undefined;
  const trimmed = value.trim();
  // The digits stay as they are written, beyond 2^53 too.
  if (type === "number" && isNumber(trimmed)) return trimmed;
  if (type === "boolean" && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase();
  if (type === "time") return JSON.stringify(readTime(value, order)?.text ?? value);
  return JSON.stringify(value);
}
