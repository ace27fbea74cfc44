import { encodeBits, encodeLevels } from "./levels.ts";
import { Values, type ValueType } from "./values.ts";

/** A column of optional values. */
export interface ColumnType {
  readonly value: ValueType;
  /** Whether each value is a list, whose elements may be null. */
  readonly isList: boolean;
}

/** The values of a column in some rows, encoded as a data page contains them. */
export interface EncodedColumn {
  /** The number of rows without lists; with lists, of elements, empty lists and rows without a list. */
  readonly entries: number;
  readonly pieces: readonly Uint8Array[];
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Adds the value of a row, which must come after that of the last call. Rows in between have no value. */
  set(row: number, value: unknown): void;
  /** As `set`, with a text as its bytes in UTF-8. */
  setText(row: number, bytes: Uint8Array, start: number, end: number): void;
  /** Removes the value of a row if it is the last one. */
  undo(row: number): void;
  /** Encodes the values of the rows from 0 on, and removes them. The pieces are valid until the next value is added. */
  take(rows: number): EncodedColumn;
}

export function createColumn(name: string, type: ColumnType): Column {
  return type.isList ? new ListColumn(name, type) : new ScalarColumn(name, type);
}

const firstRows = 256;

class ScalarColumn implements Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly #values: Values;
  /** A bit for each row, whether it has a value. */
  #present = new Uint8Array(firstRows / 8);
  #lastRow = -1;

  constructor(name: string, type: ColumnType) {
    this.name = name;
    this.type = type;
    this.#values = new Values(type.value);
  }

  set(row: number, value: unknown): void {
    this.#values.mark();
    this.#values.add(value);
    this.#enter(row);
  }

  setText(row: number, bytes: Uint8Array, start: number, end: number): void {
    this.#values.mark();
    this.#values.addUtf8(bytes, start, end);
    this.#enter(row);
  }

  #enter(row: number): void {
    this.#present = withLength(this.#present, (row >> 3) + 1);
    this.#present[row >> 3]! |= 1 << (row & 7);
    this.#lastRow = row;
  }

  undo(row: number): void {
    if (this.#lastRow !== row) return;
    this.#values.undo();
    this.#present[row >> 3]! &= ~(1 << (row & 7));
    this.#lastRow = -1;
  }

  take(rows: number): EncodedColumn {
    this.#present = withLength(this.#present, Math.ceil(rows / 8));
    const levels = encodeBits(this.#present, rows, this.#values.count);
    this.#present.fill(0);
    this.#lastRow = -1;
    return { entries: rows, pieces: [levels, this.#values.take()] };
  }
}

/** Levels of definition of a column of lists. */
const noList = 0;
const emptyList = 1;
const nullElement = 2;
const element = 3;

class ListColumn implements Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly #values: Values;
  #definitions = new Uint8Array(firstRows);
  /** 1 for each element of a list but the first. */
  #repetitions = new Uint8Array(firstRows);
  #entries = 0;
  /** Number of rows with entries. */
  #rows = 0;
  #entriesBefore = 0;

  constructor(name: string, type: ColumnType) {
    this.name = name;
    this.type = type;
    this.#values = new Values(type.value);
  }

  set(row: number, value: unknown): void {
    if (!Array.isArray(value)) throw new TypeError(`a ${typeof value} is not a list`);
    this.#skipTo(row);
    this.#entriesBefore = this.#entries;
    this.#values.mark();
    this.#rows = row + 1;
    if (value.length === 0) this.#enter(emptyList, 0);
    for (let at = 0; at < value.length; at++) {
      const one: unknown = value[at];
      this.#enter(one === null ? nullElement : element, at === 0 ? 0 : 1);
      if (one !== null) this.#values.add(one);
    }
  }

  setText(): void {
    throw new TypeError("a text is not a list");
  }

  undo(row: number): void {
    if (this.#rows !== row + 1) return;
    this.#values.undo();
    this.#entries = this.#entriesBefore;
    this.#rows = row;
  }

  take(rows: number): EncodedColumn {
    this.#skipTo(rows);
    const entries = this.#entries;
    const repetitions = encodeLevels(this.#repetitions.subarray(0, entries), 1);
    const definitions = encodeLevels(this.#definitions.subarray(0, entries), 2);
    this.#entries = 0;
    this.#rows = 0;
    return { entries, pieces: [repetitions, definitions, this.#values.take()] };
  }

  /** Enters the rows before this one. */
  #skipTo(row: number): void {
    for (; this.#rows < row; this.#rows++) this.#enter(noList, 0);
  }

  #enter(definition: number, repetition: number): void {
    this.#definitions = withLength(this.#definitions, this.#entries + 1);
    this.#repetitions = withLength(this.#repetitions, this.#entries + 1);
    this.#definitions[this.#entries] = definition;
    this.#repetitions[this.#entries] = repetition;
    this.#entries++;
  }
}

/** Returns the bytes if they are long enough, otherwise a longer copy with zeros. */
function withLength(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.length) return bytes;
  const longer = new Uint8Array(Math.max(length, bytes.length * 2));
  longer.set(bytes);
  return longer;
}
