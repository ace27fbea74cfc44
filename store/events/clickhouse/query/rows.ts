import { createYield } from "../../../../base/async/yield.ts";
import type { StoredRows } from "../../sql/result.ts";

/** The format of the results that `readRows` reads. */
export const rowFormat = "RowBinaryWithNamesAndTypes";

/** Reads a whole result, and finds its rows. */
export async function readRows(parts: AsyncIterable<Buffer>): Promise<StoredRows> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  const bytes = Buffer.concat(all);
  const { columns, end } = readHeader(bytes);
  const starts: number[] = [];
  const yieldToEventLoop = createYield();
  for (let at = end; at < bytes.length; ) {
    starts.push(at);
    for (const column of columns) at = column.skip(bytes, at);
    await yieldToEventLoop();
  }
  return new BinaryRows(bytes, columns, starts);
}

/** How to read the values of a type, which start at a place. */
interface Column {
  /** Returns the place after the value. */
  skip(bytes: Buffer, at: number): number;
  value(bytes: Buffer, at: number): unknown;
  /** Set for types of one size. */
  readonly width?: number;
  /** Set for lists. */
  readonly elements?: Column;
}

/** Reads rows in any order. The bytes of the result are kept, and values are read when they are asked for. */
class BinaryRows implements StoredRows {
  readonly rowCount: number;
  readonly #bytes: Buffer;
  readonly #columns: readonly Column[];
  readonly #starts: readonly number[];
  /** The places of the columns of the current row, as far as they are known. */
  readonly #places: number[];
  #known = 0;

  constructor(bytes: Buffer, columns: readonly Column[], starts: readonly number[]) {
    this.#bytes = bytes;
    this.#columns = columns;
    this.#starts = starts;
    this.#places = columns.map(() => 0);
    this.rowCount = starts.length;
  }

  moveTo(row: number): void {
    this.#places[0] = this.#starts[row]!;
    this.#known = 0;
  }

  value(column: number): unknown {
    return this.#columns[column]!.value(this.#bytes, this.#placeOf(column));
  }

  number(column: number): number {
    const value = this.value(column);
    return value === null ? Number.NaN : Number(value);
  }

  length(column: number): number {
    return readLength(this.#bytes, this.#placeOf(column)).length;
  }

  element(column: number, index: number): number {
    const { elements } = this.#columns[column]!;
    let { at } = readLength(this.#bytes, this.#placeOf(column));
    if (elements!.width !== undefined) at += index * elements!.width;
    else for (let before = 0; before < index; before++) at = elements!.skip(this.#bytes, at);
    const value = elements!.value(this.#bytes, at);
    return value === null ? Number.NaN : Number(value);
  }

  #placeOf(column: number): number {
    while (this.#known < column) {
      const place = this.#columns[this.#known]!.skip(this.#bytes, this.#places[this.#known]!);
      this.#places[++this.#known] = place;
    }
    return this.#places[column]!;
  }
}

function readHeader(bytes: Buffer): { readonly columns: readonly Column[]; readonly end: number } {
  const count = readLength(bytes, 0);
  let { at } = count;
  const texts = Array.from({ length: count.length * 2 }, () => {
    const text = textColumn.value(bytes, at);
    at = textColumn.skip(bytes, at);
    return text as string;
  });
  return { columns: texts.slice(count.length).map(columnOf), end: at };
}

/** Lengths have seven bits in each byte, the lowest first. */
function readLength(bytes: Buffer, at: number): { readonly length: number; readonly at: number } {
  let length = 0;
  let scale = 1;
  for (let next = at; ; next++) {
    const byte = bytes[next]!;
    length += (byte & 127) * scale;
    if (byte < 128) return { length, at: next + 1 };
    scale *= 128;
  }
}

const fixed = (width: number, value: Column["value"]): Column => ({
  width,
  value,
  skip: (_bytes, at) => at + width,
});

const textColumn: Column = {
  skip(bytes, at) {
    const text = readLength(bytes, at);
    return text.at + text.length;
  },
  value(bytes, at) {
    const text = readLength(bytes, at);
    return bytes.toString("utf8", text.at, text.at + text.length);
  },
};

const columns: Readonly<Record<string, Column>> = {
  Float64: fixed(8, (bytes, at) => bytes.readDoubleLE(at)),
  Int8: fixed(1, (bytes, at) => bytes.readInt8(at)),
  UInt8: fixed(1, (bytes, at) => bytes[at]!),
  Int16: fixed(2, (bytes, at) => bytes.readInt16LE(at)),
  UInt16: fixed(2, (bytes, at) => bytes.readUInt16LE(at)),
  Int32: fixed(4, (bytes, at) => bytes.readInt32LE(at)),
  UInt32: fixed(4, (bytes, at) => bytes.readUInt32LE(at)),
  Int64: fixed(8, (bytes, at) => bytes.readBigInt64LE(at)),
  UInt64: fixed(8, (bytes, at) => bytes.readBigUInt64LE(at)),
  Bool: fixed(1, (bytes, at) => bytes[at] === 1),
  String: textColumn,
  Nothing: fixed(0, () => null),
};

/** @param type such as `Array(Nullable(Float64))` */
function columnOf(type: string): Column {
  const [, outer, inner] = /^(Nullable|Array|LowCardinality)\((.*)\)$/.exec(type) ?? [];
  if (outer === "LowCardinality") return columnOf(inner!);
  if (outer === "Nullable") return nullableColumn(columnOf(inner!));
  if (outer === "Array") return listColumn(columnOf(inner!));
  const column = columns[type];
  if (column === undefined) throw new Error(`a result has the unknown type ${type}`);
  return column;
}

function nullableColumn(of: Column): Column {
  return {
    skip: (bytes, at) => (bytes[at] === 1 ? at + 1 : of.skip(bytes, at + 1)),
    value: (bytes, at) => (bytes[at] === 1 ? null : of.value(bytes, at + 1)),
  };
}

function listColumn(elements: Column): Column {
  return {
    elements,
    skip(bytes, start) {
      const list = readLength(bytes, start);
      if (elements.width !== undefined) return list.at + list.length * elements.width;
      let { at } = list;
      for (let index = 0; index < list.length; index++) at = elements.skip(bytes, at);
      return at;
    },
    value(bytes, start) {
      const list = readLength(bytes, start);
      let { at } = list;
      return Array.from({ length: list.length }, () => {
        const value = elements.value(bytes, at);
        at = elements.skip(bytes, at);
        return value;
      });
    },
  };
}
