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

it("refuses an unknown format", () => {
  const select = new BinarySelect("SELECT 1", [], ended);
  select.handleCopyData({ chunk: Buffer.from("1\n") });
  expect(() => select.decode({ at: "bigint" })).toThrow("unknown format");
});

it.each([["1"], [1.5], [null], [undefined]])("has no parameter %j", (value) => {
  expect(() => new BinarySelect("SELECT $1", [value as never], ended)).toThrow("must be a whole number");
});
