import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failure, openFormat } from "./open-format.ts";

function properties(values: object) {
  return [{ properties: values }];
}

describe("separators", () => {
  test.each([
    [",", "1,2,3"],
    ["\t", "1\t2\t3"],
    ["\u0001", "1\u00012\u00013"],
    ["||", "1||2||3"],
    [["|", "｜"], "1|2｜3"],
    [["|", "||"], "1||2|3"],
  ])("%j", async (separator, line) => {
    const parse = await openFormat({ type: "delimited", separator, columns: ["a", "b", "c"] });
    expect(parse(line)).toEqual(properties({ a: "1", b: "2", c: "3" }));
  });
});

describe("wrong number of columns", () => {
  test.each([
    [{}, "1,2,3,4", failure("column_count")],
    [{}, "1", failure("column_count")],
    [{ extraColumns: "ignore" }, "1,2,3,4", properties({ a: "1", b: "2" })],
    [{ extraColumns: "keep" }, "1,2,3,4", properties({ a: "1", b: "2", extra: ["3", "4"] })],
    [{ extraColumns: "keep" }, "1,2", properties({ a: "1", b: "2" })],
    [{ extraColumns: "ignore" }, "1", failure("column_count")],
    [{ missingColumns: "ignore" }, "1", properties({ a: "1" })],
    [{ missingColumns: "ignore" }, "1,2,3", failure("column_count")],
  ])("%j: %s", async (options, line, expected) => {
    const parse = await openFormat({ type: "delimited", separator: ",", columns: ["a", "b"], ...options });
    expect(parse(line)).toMatchObject(expected);
  });
});

describe("quotes", () => {
  const format = { type: "delimited", separator: ",", quotes: "double", columns: ["a", "b"], nulls: [] };

  test.each([
    ['"x,y",2', { a: "x,y", b: "2" }],
    ['"say ""no""",2', { a: 'say "no"', b: "2" }],
    ['"",', { a: "", b: "" }],
    ['a"b,"c"', { a: 'a"b', b: "c" }],
  ])("%s", async (line, values) => {
    const parse = await openFormat(format);
    expect(parse(line)).toEqual(properties(values));
  });

  test.each(['"x,2', '"x"y,2', 'x,"'])("%s is bad", async (line) => {
    const parse = await openFormat(format);
    expect(parse(line)).toMatchObject(failure("no_match"));
  });

  test("off by default", async () => {
    const parse = await openFormat({ type: "delimited", separator: ",", columns: ["a", "b"] });
    expect(parse('"x,y"')).toEqual(properties({ a: '"x', b: 'y"' }));
  });

  test("what is quoted is read back", async () => {
    const parse = await openFormat(format);
    // A whole line null or of blanks is a bad line, so the second column is never empty.
    const second = fc.string().map((text) => `${text}.`);
    fc.assert(
      fc.property(fc.string(), second, (a, b) => {
        const line = [a, b].map((text) => `"${text.replaceAll('"', '""')}"`).join(",");
        expect(parse(line)).toEqual(properties({ a, b }));
      }),
    );
  });
});

describe("column types", () => {
  test.each([
    [{ type: "number" }, "-3e2", -300],
    [{ type: "boolean" }, "TRUE", true],
    [{ type: "json" }, '[1,"a"]', [1, "a"]],
    [{ type: "object" }, '{"a":1}', { a: 1 }],
    [{ type: "list" }, "[1,2]", [1, 2]],
    [{ type: "list", separator: ";" }, "a;b", ["a", "b"]],
    [{ type: "list", separator: ";", items: "boolean" }, "1;false", [true, false]],
    [{ type: "time", format: "yyyyMMddHHmmss" }, "20240310010203", "2024-03-10 01:02:03.000"],
  ])("%j of %s", async (type, text, value) => {
    const parse = await openFormat({
      type: "delimited",
      separator: "|",
      columns: ["id", { name: "x", ...type }],
    });
    expect(parse(`7|${text}`)).toEqual(properties({ id: "7", x: value }));
  });

  test.each([
    [{ type: "number" }, "12x"],
    [{ type: "boolean" }, "yes"],
    [{ type: "object" }, "[1]"],
    [{ type: "list" }, "1,2"],
    [{ type: "list", separator: ",", items: "number" }, "1,x"],
    [{ type: "time", format: "yyyy-MM-dd" }, "2024-02-30"],
  ])("%j refuses %s and names the column", async (type, text) => {
    const parse = await openFormat({
      type: "delimited",
      separator: "|",
      columns: ["id", { name: "x", ...type }],
    });
    expect(parse(`7|${text}`)).toMatchObject({
      ...failure("invalid_value"),
      message: expect.stringMatching(/^x: /),
    });
  });

  test("an empty column has no value, unless the format says otherwise", async () => {
    const columns = ["a", { name: "n", type: "number" }];
    const parse = await openFormat({ type: "delimited", separator: ",", columns });
    expect(parse("x,")).toEqual(properties({ a: "x" }));
    const strict = await openFormat({ type: "delimited", separator: ",", columns, nulls: ["-"] });
    expect(strict("x,")).toMatchObject(failure("invalid_value"));
    expect(strict("x,-")).toEqual(properties({ a: "x" }));
  });
});

describe("tuples", () => {
  const parts = ["item", "kind", { name: "count", type: "number" }, { name: "price", type: "number" }];
  const column = { name: "items", type: "tuples", parts };

  test("a list of objects by named parts", async () => {
    const parse = await openFormat({ type: "delimited", separator: "\t", columns: ["id", column] });
    expect(parse("1\t77|10006|7|82613,1648|10059|7|67306")).toEqual(
      properties({
        id: "1",
        items: [
          { item: "77", kind: "10006", count: 7, price: 82613 },
          { item: "1648", kind: "10059", count: 7, price: 67306 },
        ],
      }),
    );
  });

  test.each(["77|10006|7", "77|10006|7|1,", "77|10006|x|1"])("%s is bad", async (text) => {
    const parse = await openFormat({ type: "delimited", separator: "\t", columns: ["id", column] });
    expect(parse(`1\t${text}`)).toMatchObject(failure("invalid_value"));
  });

  test.each<[string, object, unknown]>([
    ["7|a;b", { separator: ";" }, { id: 7, tags: ["a", "b"] }],
    ["7|1;2", { separator: ";", items: "number" }, { id: 7, tags: [1, 2] }],
    ['7|"a";"b ""c"""', { separator: ";", quotes: "double" }, { id: 7, tags: ["a", 'b "c"'] }],
    ["7|", { separator: ";" }, { id: 7 }],
    ["7|a", { separator: "::" }, { id: 7, tags: ["a"] }],
  ])("%s has a list by %j", async (text, list, value) => {
    const tags = { name: "tags", type: "list", ...list };
    const columns = ["n", { name: "x", type: "tuples", parts: [{ name: "id", type: "number" }, tags] }];
    const parse = await openFormat({ type: "delimited", separator: "\t", columns });
    expect(parse(`1\t${text},${text}`)).toEqual(properties({ n: "1", x: [value, value] }));
  });

  test("a bad item of a list names the part and the item", async () => {
    const parts = [{ name: "tags", type: "list", separator: ";", items: "number" }];
    const columns = [{ name: "x", type: "tuples", parts }];
    const parse = await openFormat({ type: "delimited", separator: "\t", columns });
    expect(parse("1;2,3;y")).toMatchObject({
      ...failure("invalid_value"),
      message: 'x: item 2: tags: item 2: "y" is not a number',
    });
  });

  test("what is joined is split again", async () => {
    const parse = await openFormat({ type: "delimited", separator: "\t", columns: ["id", column] });
    const tuple = fc.record({
      item: fc.stringMatching(/^[a-z0-9 ]{1,8}$/),
      kind: fc.stringMatching(/^[a-z0-9 ]{1,8}$/),
      count: fc.integer(),
      price: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    });
    fc.assert(
      fc.property(fc.array(tuple, { minLength: 1 }), (items) => {
        const text = items.map((one) => [one.item, one.kind, one.count, one.price].join("|")).join(",");
        expect(parse(`1\t${text}`)).toEqual(properties({ id: "1", items }));
      }),
    );
  });
});
