import fc from "fast-check";
import { expect, test } from "vitest";
import { failure, openFormat } from "./open-format.ts";

test.each([
  ["level=info msg=ok", { level: "info", msg: "ok" }],
  ['msg="two words" n=1', { msg: "two words", n: "1" }],
  ['msg="say \\"no\\"\\n\\t\\\\ \\u00e9 \\x"', { msg: 'say "no"\n\t\\ é \\x' }],
  ["debug a=1 flag", { debug: true, a: "1", flag: true }],
  ["url=http://x/?a=b", { url: "http://x/?a=b" }],
  ["a=1 a=2", { a: "2" }],
  ['a="1"b=2', { a: "1", b: "2" }],
  ["  a=1\tb=2  ", { a: "1", b: "2" }],
  ["a= b=2", { b: "2" }],
  ["__proto__=1 constructor=2", JSON.parse('{"__proto__":"1","constructor":"2"}')],
])("%s", async (line, values) => {
  const parse = await openFormat({ type: "logfmt" });
  expect(parse(line)).toEqual([{ properties: values }]);
});

test.each(["no pairs here", "=1", 'a="not closed', "a=1 =2"])("%s is bad", async (line) => {
  const parse = await openFormat({ type: "logfmt" });
  expect(parse(line)).toMatchObject(failure("no_match"));
});

test("a value quoted as JSON is read back", async () => {
  const parse = await openFormat({ type: "logfmt", nulls: [] });
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      expect(parse(`k=${JSON.stringify(value)}`)).toEqual([{ properties: { k: value } }]);
    }),
  );
});
