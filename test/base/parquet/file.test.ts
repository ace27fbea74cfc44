import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Column, ColumnType } from "../../../base/parquet/column.ts";
import { ParquetFile } from "../../../base/parquet/file.ts";
import type { ValueType } from "../../../base/parquet/values.ts";
import { casesOf } from "../../thorough.ts";

let instance: DuckDBInstance;
let folder = "";
beforeAll(async () => {
  // The cache mixes a file with an earlier one of its path.
  instance = await DuckDBInstance.create(":memory:", { threads: "1", enable_external_file_cache: "false" });
});
afterAll(() => instance.closeSync());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parquet-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Reads a file with DuckDB: its columns by name, one value for each row. */
async function read(path: string): Promise<Record<string, unknown[]>> {
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
    const columns = reader.getColumnsJS();
    return Object.fromEntries(reader.columnNames().map((name, at) => [name, columns[at] as unknown[]]));
  } finally {
    connection.closeSync();
  }
}

const whole = fc.maxSafeInteger();
const values: Readonly<Record<ValueType, fc.Arbitrary<unknown>>> = {
  boolean: fc.boolean(),
  int32: fc.integer(),
  int64: whole,
  double: fc.double({ noNaN: true }),
  text: fc.oneof(fc.string({ unit: "binary" }), fc.string({ minLength: 60, maxLength: 200 })),
};

interface Written {
  readonly type: ColumnType;
  /** The row at which the column is added. */
  readonly from: number;
  /** Undefined: no value. */
  readonly cells: readonly unknown[];
}

const column = fc
  .tuple(fc.constantFrom(...(Object.keys(values) as ValueType[])), fc.boolean(), fc.nat(12))
  .chain(([value, isList, from]) => {
    const one = values[value];
    const cell = isList ? fc.array(fc.option(one, { nil: null }), { maxLength: 4 }) : one;
    return fc.record({
      type: fc.constant<ColumnType>({ value, isList }),
      from: fc.constant(from),
      cells: fc.array(fc.option(cell, { nil: undefined }), { minLength: 40, maxLength: 40 }),
    });
  });

/** The value as DuckDB returns it. */
function expected({ value }: ColumnType, cell: unknown): unknown {
  if (cell === undefined || cell === null) return null;
  if (Array.isArray(cell)) return cell.map((one) => expected({ value, isList: false }, one));
  if (value === "int64") return BigInt(cell as number);
  return value === "double" ? (cell as number) + 0 : cell;
}

function write(file: ParquetFile, rows: number, columns: readonly Written[]): void {
  const open = new Map<Written, Column>();
  for (let row = 0; row < rows; row++) {
    for (const [at, one] of columns.entries()) {
      if (one.from > row) continue;
      if (!open.has(one)) open.set(one, file.addColumn(`c${at}`, one.type));
      const cell = one.cells[row];
      if (cell !== undefined) open.get(one)!.set(file.row, cell);
    }
    file.endRow();
  }
}

describe("Parquet file", () => {
  it("is missing without rows", () => {
    const file = new ParquetFile(join(folder, "rows.parquet"));
    file.addColumn("a", { value: "text", isList: false });
    file.close();
    expect([file.count, readdirSync(folder)]).toEqual([0, []]);
  });

  it("holds the values that were set, in groups of rows, with columns of any type added at any row", async () => {
    const scenario = fc.record({
      columns: fc.array(column, { minLength: 1, maxLength: 8 }),
      rows: fc.integer({ min: 13, max: 40 }),
      rowsOfGroup: fc.constantFrom(3, 8, 16, 40, 1_000),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ columns, rows, rowsOfGroup }) => {
        const file = new ParquetFile(join(folder, "rows.parquet"), rowsOfGroup);
        write(file, rows, columns);
        file.close();
        const found = await read(file.path);
        expect(file.count).toBe(rows);
        for (const [at, { type, cells, from }] of columns.entries()) {
          const wanted = cells.slice(0, rows).map((cell, row) => expected(type, row < from ? null : cell));
          expect(found[`c${at}`]).toEqual(wanted);
        }
      }),
      { numRuns: casesOf(300) },
    );
  });

  it("writes texts from bytes, and halves of surrogate pairs as U+FFFD", async () => {
    const file = new ParquetFile(join(folder, "rows.parquet"));
    const texts = file.addColumn("t", { value: "text", isList: false });
    const bytes = Buffer.from(`<grün>${"x".repeat(100)}`);
    texts.setText(0, bytes, 1, 6);
    file.endRow();
    texts.setText(1, bytes, 7, bytes.length);
    file.endRow();
    texts.set(2, "a\ud800b");
    file.endRow();
    file.close();
    expect(await read(file.path)).toEqual({ t: ["grün", "x".repeat(100), "a\ufffdb"] });
  });

  it.each<[string, ColumnType, readonly unknown[]]>([
    ["numbers", { value: "double", isList: false }, [1, 2, 3]],
    ["texts", { value: "text", isList: false }, ["a", "b", "c"]],
    ["booleans", { value: "boolean", isList: false }, [true, false, true]],
    ["lists", { value: "text", isList: true }, [["a"], [], ["b", null]]],
  ])("forgets %s of a row that is undone", async (_what, type, [before, undone, after]) => {
    const file = new ParquetFile(join(folder, "rows.parquet"));
    const given = file.addColumn("given", type);
    given.set(0, before);
    file.endRow();
    given.set(1, undone);
    const late = file.addColumn("late", type);
    late.set(1, undone);
    file.undoRow();
    file.endRow();
    given.set(2, after);
    file.endRow();
    file.close();
    expect(await read(file.path)).toEqual({ given: [before, null, after], late: [null, null, null] });
  });

  it.each<[ColumnType, unknown]>([
    [{ value: "double", isList: false }, "1"],
    [{ value: "text", isList: false }, 1],
    [{ value: "boolean", isList: false }, 0],
    [{ value: "text", isList: true }, "a"],
    [{ value: "text", isList: true }, [1]],
  ])("refuses for %j the value %j", (type, value) => {
    const file = new ParquetFile(join(folder, "rows.parquet"));
    expect(() => file.addColumn("a", type).set(0, value)).toThrow(TypeError);
  });

  it("leaves no open file when it is abandoned", async () => {
    const file = new ParquetFile(join(folder, "rows.parquet"), 1);
    file.addColumn("a", { value: "int32", isList: false }).set(0, 1);
    file.endRow();
    file.abandon();
    file.abandon();
    expect(readdirSync(folder)).toEqual(["rows.parquet"]);
  });
});
