import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileUnwrap } from "../../../../services/parser/formats/unwrap.ts";
import { failure, openFormat } from "./open-format.ts";

const unwrap = compileUnwrap("log");

test.each([
  ['{"log":"a b","stream":"stdout"}', "a b"],
  ['{"log":"a\\n"}', "a"],
  ['{"log":"a\\r\\n"}', "a"],
  ['{"log":"{\\"a\\":1}\\n","time":"x"}', '{"a":1}'],
  ['{"log":{"a":1}}', '{"a":1}'],
  ['{"log":{"a":12345678901234567890}}', '{"a":12345678901234567890}'],
])("%s", (wrapper, line) => {
  expect(unwrap(wrapper)).toBe(line);
});

describe("a value whose quotes are not escaped", () => {
  test.each([
    ['{"log":"say "no"","t":1}', 'say "no"'],
    ['{"t":1,"log" : "{"a":"b","c":"d"}\\n"}', '{"a":"b","c":"d"}'],
    ['{"log":"{"a":1}","stream":"stdout","time":"x"}', '{"a":1}'],
    ['{"log":""quoted"","t":1}', '"quoted"'],
    ['{"log":"a"b \\"c\\" \\u00e9 \\q\\t.\\n","t":1}', 'a"b "c" é \\q\t.'],
    ['{"logs":"x","y":"log","log":"a"b"}', 'a"b'],
  ])("%s", (wrapper, line) => {
    expect(unwrap(wrapper)).toBe(line);
  });
});

test.each([
  ["text", "invalid_json"],
  ['{"log":"a', "invalid_json"],
  ['{"log":"a"b,"t":1', "invalid_json"],
  ["[]", "not_an_object"],
  ["5", "not_an_object"],
  ['{"other":1}', "missing_key"],
  ['{"log":null}', "missing_key"],
])("%s is bad: %s", (wrapper, reason) => {
  expect(unwrap(wrapper)).toMatchObject(failure(reason));
});

test("what a correct writer wraps comes out", () => {
  fc.assert(
    fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (line, others) => {
      const entries = Object.entries(others).filter(([key]) => key !== "log");
      const wrapper = JSON.stringify({ ...Object.fromEntries(entries), log: `${line}.\n` });
      expect(unwrap(wrapper)).toBe(`${line}.`);
    }),
  );
});

test("a byte order mark may stand before the wrapper", async () => {
  const parse = await openFormat({ type: "json", unwrap: { key: "log" } });
  expect(parse('\uFEFF{"log":"{\\"a\\":1}"}')).toEqual([{ properties: { a: 1 } }]);
});

test("a megabyte of candidates is given up on", () => {
  expect(unwrap(`{"log":"${'",'.repeat(500_000)}`)).toMatchObject(failure("invalid_json"));
});
