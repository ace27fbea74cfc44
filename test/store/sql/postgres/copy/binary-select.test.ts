import { expect, it } from "vitest";
import { BinarySelect } from "../../../../../store/sql/postgres/copy/binary-select.ts";
import { encodeRows } from "../../../../simulation/database/binary-rows.ts";

const ended = (): void => {};

it("decodes whole numbers and bytes", () => {
  const rows = [
    { at: 2 ** 52 + 1, bytes: Buffer.from("one\n") },
    { at: -1, bytes: Buffer.alloc(0) },
    { at: 0, bytes: Buffer.from([0, 255]) },
  ];
  for (const sent of [rows, []]) {
    const select = new BinarySelect("SELECT at, bytes FROM t", [], ended);
    for (const message of encodeRows(sent)) {
      const chunk = Buffer.from(message);
      select.handleCopyData({ chunk });
      // The driver uses the memory again.
      chunk.fill(0);
    }
    expect(select.decode({ at: "bigint", bytes: "bytes" })).toEqual(sent);
  }
});

it.each([
  [{ at: 1 }, "PostgreSQL copies rows of 1 columns, not 2"],
  [{ at: 1, bytes: Buffer.alloc(0), more: 1 }, "PostgreSQL copies rows of 3 columns, not 2"],
  [{ at: null, bytes: Buffer.alloc(0) }, "PostgreSQL copies a row whose at is null"],
  [{ at: 1, bytes: null }, "PostgreSQL copies a row whose bytes is null"],
])("refuses the row %j", (row, message) => {
  const select = new BinarySelect("SELECT at, bytes FROM t", [], ended);
  for (const chunk of encodeRows([{ at: 0, bytes: Buffer.from("\n") }, row]))
    select.handleCopyData({ chunk });
  expect(() => select.decode({ at: "bigint", bytes: "bytes" })).toThrow(message);
});

it("copies with the same text whatever the parameters are", () => {
  const texts = [
    [1, 2],
    [-3, 2 ** 50],
  ].map((params) => new BinarySelect("SELECT $1 + $2 - $1", params, ended) as unknown as { text: string });
  expect(texts.map(({ text }) => text)).toEqual(
    ["'1'", "'-3'"].map((first, i) => {
      const second = ["'2'", "'1125899906842624'"][i];
      const [a, b] = ["engage.param_1", "engage.param_2"];
      return (
        `SELECT set_config('${a}', ${first}, true), set_config('${b}', ${second}, true); COPY (SELECT ` +
        `current_setting('${a}')::bigint + current_setting('${b}')::bigint - current_setting('${a}')::bigint` +
        ") TO STDOUT (FORMAT binary)"
      );
    }),
  );
});

it("refuses an unknown format", () => {
  const select = new BinarySelect("SELECT 1", [], ended);
  select.handleCopyData({ chunk: Buffer.from("1\n") });
  expect(() => select.decode({ at: "bigint" })).toThrow("unknown format");
});

it.each([["1"], [1.5], [null], [undefined]])("has no parameter %j", (value) => {
  expect(() => new BinarySelect("SELECT $1", [value as never], ended)).toThrow("must be a whole number");
});
