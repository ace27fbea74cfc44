import fc from "fast-check";
import { expect, test } from "vitest";
import { createSlotTable } from "../../../../services/parser/mapping/fields.ts";
import { compileTemplate } from "../../../../services/parser/mapping/template.ts";

type Fields = Readonly<Record<string, unknown>>;

function isNull(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** The rendered text, or the fault of the template as an Error. */
function render(source: string, fields: Fields): unknown {
  const table = createSlotTable();
  const template = compileTemplate(source, isNull, table);
  if (typeof template === "string") return new Error(template);
  const values = [undefined, ...table.names.map((name) => fields[name])];
  return template.render(
    values,
    [...table.names.keys()].map((slot) => slot + 1),
  );
}

test.each<[string, Fields, string | undefined]>([
  ["event_{CODE}", { CODE: 1001 }, "event_1001"],
  ["{a}{b}", { a: "x", b: true }, "xtrue"],
  ["{{{a}}}", { a: 1 }, "{1}"],
  ["{{a}}", { a: 1 }, "{a}"],
  ["{a.b}", { a: { b: "x" } }, "x"],
  ["{a.b}", { "a.b": "flat", a: { b: "x" } }, "flat"],
  ["{a}", { a: [1, { b: 2 }] }, '[1,{"b":2}]'],
  ["no field", {}, "no field"],
  ["{a}{b}", { a: "x" }, undefined],
  ["{a}", { a: null }, undefined],
  ["{a}", { a: "" }, undefined],
])("%s of %j", (source, fields, expected) => {
  expect(render(source, fields)).toBe(expected);
});

test.each(["", "{", "a{b", "}", "a}b", "{}", "{a{b}"])("%j has a fault", (source) => {
  expect(render(source, {})).toBeInstanceOf(Error);
});

test("any text is itself when its braces are doubled", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (text, value) => {
      const source = `${text.replaceAll("{", "{{").replaceAll("}", "}}")}<{f}>`;
      expect(render(source, { f: value })).toBe(`${text}<${value}>`);
    }),
  );
});
