import type { Column } from "../../../base/parquet/column.ts";
import { ParquetFile } from "../../../base/parquet/file.ts";
import type { ValueType } from "../../../base/parquet/values.ts";
import type { PreparedEvent, Property } from "../../../store/events/events.ts";

const keys = { e: "int32", t: "int64", r: "int64", u: "int64", a: "text", d: "text" } as const;
const valueTypes: Readonly<Record<Property["type"], ValueType>> = {
  number: "double",
  text: "text",
  time: "int64",
  boolean: "boolean",
  list: "text",
  object: "text",
  object_group: "text",
};

/** Writes events as columns. @param properties those with a column, whether or not events have values */
export function writeColumns(
  path: string,
  events: readonly PreparedEvent[],
  properties: Iterable<Property>,
): void {
  const file = new ParquetFile(path);
  const columns = new Map<string, Column>();
  for (const [key, value] of Object.entries(keys))
    columns.set(key, file.addColumn(key, { value, isList: false }));
  for (const { number, type, group } of properties) {
    const isList = group !== undefined || type === "list";
    columns.set(`p${number}`, file.addColumn(`p${number}`, { value: valueTypes[type], isList }));
  }
  for (const { p, ...event } of events) {
    const values = Object.entries(p).map(([number, value]) => [`p${number}`, value] as const);
    for (const [key, value] of [...Object.entries(event), ...values])
      if (value !== undefined) columns.get(key)!.set(file.row, value);
    file.endRow();
  }
  file.close();
}
