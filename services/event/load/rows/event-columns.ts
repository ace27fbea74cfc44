import type { Column, ColumnType } from "../../../../base/parquet/column.ts";
import { ParquetFile } from "../../../../base/parquet/file.ts";
import type { ValueType } from "../../../../base/parquet/values.ts";
import { dayMs } from "../../../../base/time/units.ts";
import type { PropertyType } from "../../../../store/events/events.ts";
import type { CheckedEvent, CheckedValue } from "../../record/record.ts";
import type { ShapedEvent } from "../../shape/record-shapes.ts";
import type { RecordValues } from "../../shape/record-values.ts";
import type { ProjectState } from "../project-state.ts";
import type { EventFile } from "./event-file.ts";

const int32: ColumnType = { value: "int32", isList: false };
const int64: ColumnType = { value: "int64", isList: false };
const text: ColumnType = { value: "text", isList: false };

const valueTypes: Readonly<Record<PropertyType, ValueType>> = {
  number: "double",
  text: "text",
  time: "int64",
  boolean: "boolean",
  list: "text",
  object: "text",
  object_group: "text",
};

/** An event of a known shape. */
export interface ShapedRow {
  readonly event: ShapedEvent;
  readonly values: RecordValues;
  /** The bytes of its line. */
  readonly buffer: Buffer;
  readonly userId: number;
  readonly receivedMs: number;
}

/**
 * Events as columns, with the names of PreparedEvent and of PreparedValues. Engines insert them in less time than
 * lines: DuckDB in 0.7 of it.
 */
export class EventColumns implements EventFile {
  readonly #file: ParquetFile;
  readonly #event: Column;
  readonly #time: Column;
  readonly #received: Column;
  readonly #user: Column;
  readonly #account: Column;
  readonly #visitor: Column;
  /** By number; an empty place is not a property of the events. */
  readonly #properties: (Column | undefined)[] = [];
  readonly #days = new Map<number, number>();

  constructor(path: string) {
    const file = new ParquetFile(path);
    this.#file = file;
    this.#event = file.addColumn("e", int32);
    this.#time = file.addColumn("t", int64);
    this.#received = file.addColumn("r", int64);
    this.#user = file.addColumn("u", int64);
    this.#account = file.addColumn("a", text);
    this.#visitor = file.addColumn("d", text);
  }

  get path(): string {
    return this.#file.path;
  }

  get count(): number {
    return this.#file.count;
  }

  write(state: ProjectState, event: CheckedEvent, userId: number, receivedMs: number): void {
    const { values } = event;
    const { row } = this.#file;
    this.#setHead(row, state.eventNumber(event.name), event, userId, receivedMs);
    for (let at = 0; at < values.length; at++) {
      const value = values[at]!;
      const { number } = value.known ?? state.propertyOf("event", value);
      const column = this.#properties[number] ?? this.#addProperty(number, value);
      column.set(row, value.value);
    }
    this.#endRow(event.timeMs);
  }

  /** Writes a PreparedEvent. */
  writeShaped({ event, values, buffer, userId, receivedMs }: ShapedRow): void {
    const { shape, first } = event;
    const { row } = this.#file;
    this.#setHead(row, event.eventNumber, event, userId, receivedMs);
    const { starts, ends, numbers, lists } = values;
    for (const { property, place } of shape.properties) {
      const at = first + place;
      const end = ends[at]!;
      if (end === -1) continue;
      const column = this.#properties[property.number] ?? this.#addProperty(property.number, property);
      const { type } = property;
      if (type === "text") column.setText(row, buffer, starts[at]!, end);
      else if (type === "list") column.set(row, lists[numbers[at]!]);
      else column.set(row, type === "boolean" ? numbers[at] === 1 : numbers[at]);
    }
    this.#endRow(event.timeMs);
  }

  undo(): void {
    this.#file.undoRow();
  }

  properties(): readonly number[] {
    return Array.from(this.#properties.keys()).filter((number) => this.#properties[number] !== undefined);
  }

  /** Returns the number of events of each UTC day, by the number of the day. */
  days(): ReadonlyMap<number, number> {
    return this.#days;
  }

  close(): void {
    this.#file.close();
  }

  abandon(): void {
    this.#file.abandon();
  }

  /** Sets all but the properties. */
  #setHead(
    row: number,
    eventNumber: number,
    { timeMs, accountId, distinctId }: Pick<ShapedEvent, "timeMs" | "accountId" | "distinctId">,
    userId: number,
    receivedMs: number,
  ): void {
    this.#event.set(row, eventNumber);
    this.#time.set(row, timeMs);
    this.#received.set(row, receivedMs);
    this.#user.set(row, userId);
    if (accountId !== undefined) this.#account.set(row, accountId);
    if (distinctId !== undefined) this.#visitor.set(row, distinctId);
  }

  #endRow(timeMs: number): void {
    this.#file.endRow();
    const day = Math.floor(timeMs / dayMs);
    this.#days.set(day, (this.#days.get(day) ?? 0) + 1);
  }

  #addProperty(
    number: number,
    { type, group }: Pick<CheckedValue, "type"> & { group?: string | undefined },
  ): Column {
    const isList = group !== undefined || type === "list";
    const column = this.#file.addColumn(`p${number}`, { value: valueTypes[type], isList });
    for (let at = this.#properties.length; at < number; at++) this.#properties.push(undefined);
    this.#properties[number] = column;
    return column;
  }
}
