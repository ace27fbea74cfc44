import { expect, test } from "vitest";
import { failure, openRaw } from "./open-format.ts";

test.each([
  ['{"a":1}', '{"a":1}'],
  ['  {"a" : 1.0, "b":12345678901234567890,"a":2} \r', '{"a" : 1.0, "b":12345678901234567890,"a":2}'],
  ['{\n\t"a":\r\n1}', '{  "a":  1}'],
])("%j", async (line, record) => {
  const parse = await openRaw({ type: "pass_through" });
  expect(parse(line)).toEqual([record]);
});

test.each([
  ["", "empty_line"],
  ["null", "empty_line"],
  ["[]", "not_an_object"],
  ['"a"', "not_an_object"],
  ["{a:1}", "invalid_json"],
  ['{"a":1}{"b":2}', "invalid_json"],
  ['{"a":"\u0001"}', "invalid_json"],
  ["text", "invalid_json"],
])("%j is bad: %s", async (line, reason) => {
  const parse = await openRaw({ type: "pass_through" });
  expect(parse(line)).toMatchObject(failure(reason));
});

test("without a check only the braces are looked at", async () => {
  const parse = await openRaw({ type: "pass_through", check: "none" });
  expect(parse(" {a:1} ")).toEqual(["{a:1}"]);
  expect(parse("a")).toMatchObject(failure("not_an_object"));
});

test("100,000 nested lists pass", async () => {
  const parse = await openRaw({ type: "pass_through" });
  const line = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(parse(line)).toEqual([line]);
});
