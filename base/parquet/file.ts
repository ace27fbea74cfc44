import { closeSync, openSync, writevSync } from "node:fs";
import { type Column, type ColumnType, createColumn, type EncodedColumn } from "./column.ts";
import { binary, i32, i64, list, struct, type ThriftValue } from "./thrift.ts";
import type { ValueType } from "./values.ts";

/** As many as the engine keeps in one group of a table. */
const defaultRowsOfGroup = 122_880;
const magic = Buffer.from("PAR1");

/**
 * Numbers of the format's definition,
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
const physicalTypes: Readonly<Record<ValueType, number>> = {
  boolean: 0,
  int32: 1,
  int64: 2,
  double: 5,
  text: 6,
};
const optional = i32(1);
const repeated = i32(2);
const utf8 = i32(0);
const listOfElements = i32(3);
const dataPage = i32(0);
const plain = i32(0);
const runs = i32(3);
const uncompressed = i32(0);

/** Where the values of a column are in the file, for one group of rows. */
interface Chunk {
  readonly offset: number;
  readonly bytes: number;
  readonly entries: number;
}

/**
 * A Parquet file of optional columns, which may be added at any row. It is created with the first group of rows, at the
 * latest by `close`, and remains missing without rows. Values are not compressed.
 */
export class ParquetFile {
  readonly path: string;
  readonly #rowsOfGroup: number;
  readonly #columns: Column[] = [];
  readonly #groups: { readonly rows: number; readonly chunks: Chunk[] }[] = [];
  #rowsBefore = 0;
  #row = 0;
  #offset = 0;
  #file: number | undefined;

  constructor(path: string, rowsOfGroup = defaultRowsOfGroup) {
    this.path = path;
    this.#rowsOfGroup = rowsOfGroup;
  }

  /** Number of rows. */
  get count(): number {
    return this.#rowsBefore + this.#row;
  }

  /** The number of the current row, for `Column.set`. */
  get row(): number {
    return this.#row;
  }

  /** Adds a column, which has no value in earlier rows. Its values are set by `Column.set`. */
  addColumn(name: string, type: ColumnType): Column {
    const column = createColumn(name, type);
    this.#columns.push(column);
    return column;
  }

  endRow(): void {
    this.#row++;
    if (this.#row === this.#rowsOfGroup) this.#writeGroup();
  }

  /** Removes the values of an unfinished row. */
  undoRow(): void {
    for (const column of this.#columns) column.undo(this.#row);
  }

  /** Writes the rest and closes the file. It is not synced. */
  close(): void {
    if (this.#row > 0) this.#writeGroup();
    if (this.#file === undefined) return;
    this.#fillGroups();
    this.#writeFooter();
    this.abandon();
  }

  /** Closes the file without writing the rest. An open file would occupy disk space even after its removal. */
  abandon(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #writeGroup(): void {
    const rows = this.#row;
    const chunks = this.#columns.map((column) => this.#writeChunk(column.take(rows)));
    this.#groups.push({ rows, chunks });
    this.#rowsBefore += rows;
    this.#row = 0;
  }

  /** Adds chunks without values for the columns that are younger than a group. Chunks may be anywhere in a file. */
  #fillGroups(): void {
    for (const { rows, chunks } of this.#groups) {
      for (const { name, type } of this.#columns.slice(chunks.length))
        chunks.push(this.#writeChunk(createColumn(name, type).take(rows)));
    }
  }

  #writeChunk({ entries, pieces }: EncodedColumn): Chunk {
    const size = i32(pieces.reduce((sum, { length }) => sum + length, 0));
    const page = struct({ 1: i32(entries), 2: plain, 3: runs, 4: runs });
    const header = Uint8Array.from(struct({ 1: dataPage, 2: size, 3: size, 5: page }).bytes);
    const offset = this.#write([header, ...pieces]);
    return { offset, bytes: this.#offset - offset, entries };
  }

  #writeFooter(): void {
    const schema = [
      struct({ 4: binary("schema"), 5: i32(this.#columns.length) }),
      ...this.#columns.flatMap(schemaOf),
    ];
    const groups = this.#groups.map(({ rows, chunks }) =>
      struct({
        1: list(chunks.map((chunk, at) => chunkOf(this.#columns[at]!, chunk))),
        2: i64(chunks.reduce((sum, { bytes }) => sum + bytes, 0)),
        3: i64(rows),
      }),
    );
    const footer = struct({ 1: i32(1), 2: list(schema), 3: i64(this.#rowsBefore), 4: list(groups) });
    const bytes = Uint8Array.from(footer.bytes);
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(bytes.length);
    this.#write([bytes, length, magic]);
  }

  /** Returns the offset of the first piece. */
  #write(pieces: readonly Uint8Array[]): number {
    if (this.#file === undefined) {
      this.#file = openSync(this.path, "w", 0o600);
      this.#offset = 0;
      this.#write([magic]);
    }
    const offset = this.#offset;
    for (let rest = pieces.filter(({ length }) => length > 0); rest.length > 0; ) {
      const written = writevSync(this.#file, rest);
      this.#offset += written;
      rest = after(rest, written);
    }
    return offset;
  }
}

/** Returns what remains of the pieces without their first bytes. */
function after(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  const rest: Uint8Array[] = [];
  for (const piece of pieces) {
    const skipped = Math.min(left, piece.length);
    left -= skipped;
    if (skipped < piece.length) rest.push(piece.subarray(skipped));
  }
  return rest;
}

function schemaOf({ name, type: { value, isList } }: Column): readonly ThriftValue[] {
  const leaf = (leafName: string): ThriftValue =>
    struct({
      1: i32(physicalTypes[value]),
      3: optional,
      4: binary(leafName),
      ...(value === "text" && { 6: utf8 }),
    });
  if (!isList) return [leaf(name)];
  return [
    struct({ 3: optional, 4: binary(name), 5: i32(1), 6: listOfElements }),
    struct({ 3: repeated, 4: binary("list"), 5: i32(1) }),
    leaf("element"),
  ];
}

function chunkOf({ name, type: { value, isList } }: Column, { offset, bytes, entries }: Chunk): ThriftValue {
  const path = isList ? [name, "list", "element"] : [name];
  const size = i64(bytes);
  const metadata = struct({
    1: i32(physicalTypes[value]),
    2: list([plain, runs]),
    3: list(path.map(binary)),
    4: uncompressed,
    5: i64(entries),
    6: size,
    7: size,
    9: i64(offset),
  });
  return struct({ 2: i64(offset), 3: metadata });
}
