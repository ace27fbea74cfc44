import { describe, expect, it } from "vitest";
import { formatTable, printable } from "../../../cmd/terminal/table.ts";

describe("a table", () => {
  it("aligns texts left and numbers right", () => {
    const columns = [
      { head: "NAME", of: ({ name }: { name: string; count: bigint }) => name },
      { head: "COUNT", of: ({ count }: { count: bigint }) => count },
      { head: "AGAIN", of: ({ name }: { name: string }) => name },
    ];
    const rows = [
      { name: "a", count: 1n },
      { name: "longer", count: 123_456n },
    ];
    expect(formatTable(columns, rows)).toBe(
      "NAME     COUNT  AGAIN\na            1  a\nlonger  123456  longer\n",
    );
  });

  it("cuts no cell, and aligns the others as if it were shorter", () => {
    const columns = [
      { head: "NAME", of: (name: string) => name },
      { head: "LENGTH", of: ({ length }: string) => length },
    ];
    const long = "x".repeat(150);
    const lines = formatTable(columns, [long, "a"]).split("\n");
    expect(lines.slice(1)).toEqual([`${long}     150`, `a${" ".repeat(99)}       1`, ""]);
  });

  it.each([
    ["a\u0000b\u001b[2J\u202e\n", "a\\u0000b\\u001b[2J\\u202e\\u000a"],
    ["张三", "张三"],
  ])("shows %j as %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("shortens a label to the given length", () => {
    expect(printable("x".repeat(101), 100)).toBe(`${"x".repeat(99)}…`);
  });
});
