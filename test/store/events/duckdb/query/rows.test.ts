import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { ResultRows } from "../../../../../store/events/duckdb/query/rows.ts";

it("reads null lists between full ones, and null elements, in several chunks", async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  // The engine leaves the lengths of other lists in the places of null ones.
  const sql = `SELECT list(nullif(i, 4)::INTEGER) FILTER (i % 3 > 0)
    FROM range(20000) AS t (i) GROUP BY i ORDER BY i`;
  const rows = new ResultRows(await connection.run(sql));
  const read = Array.from({ length: rows.rowCount }, (_row, row) => {
    rows.moveTo(row);
    return Array.from({ length: rows.length(0) }, (_element, index) => rows.element(0, index));
  });
  expect(read).toEqual(
    Array.from({ length: 20_000 }, (_row, i) => (i % 3 === 0 ? [] : [i === 4 ? Number.NaN : i])),
  );
  connection.closeSync();
  instance.closeSync();
});
