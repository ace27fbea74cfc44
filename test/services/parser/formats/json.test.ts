import { describe, expect, test } from "vitest";
import { failure, openFormat, openRaw } from "./open-format.ts";

describe("lines", () => {
  test.each([
    ["an object", '{"a":1}', [{ properties: { a: 1 } }]],
    ["blanks around it", ' {"a":1} \r', [{ properties: { a: 1 } }]],
    ["a byte order mark", '\uFEFF{"a":1}', [{ properties: { a: 1 } }]],
    ["a list", '[{"a":1},{"a":2}]', [{ properties: { a: 1 } }, { properties: { a: 2 } }]],
    ["an empty list", "[]", []],
    ["an empty object", "{}", [{}]],
    ["nulls are left out", '{"a":null,"b":""}', [{ properties: { b: "" } }]],
    ["root keys stay at the root", '{"#ip":"1.2.3.4","a":1}', [{ "#ip": "1.2.3.4", properties: { a: 1 } }]],
    [
      "the keys of properties join the others and win",
      '{"#type":"track","a":1,"b":1,"properties":{"a":2,"c":null}}',
      [{ "#type": "track", properties: { a: 2, b: 1 } }],
    ],
    ["properties that is no object", '{"properties":[1]}', [{ properties: { properties: [1] } }]],
    ["escapes", '{"a\\"b":"\\u0001\\n\\\\"}', [{ properties: { 'a"b': "\u0001\n\\" } }]],
    ["nested nulls stay", '{"a":[null,{"b":null}]}', [{ properties: { a: [null, { b: null }] } }]],
    ["nested", '{"a":{"b":[1,{"c":"\\""}]}}', [{ properties: { a: { b: [1, { c: '"' }] } } }]],
    ["looks like a failure", '{"failed":true,"reason":"x"}', [{ properties: { failed: true, reason: "x" } }]],
  ])("%s", async (_name, line, records) => {
    const parse = await openFormat({ type: "json" });
    expect(parse(line)).toEqual(records);
  });

  test.each([
    ["", "empty_line"],
    [" \t ", "empty_line"],
    ["null", "empty_line"],
    [" null ", "empty_line"],
    ["null  ", "empty_line"],
    ["{", "invalid_json"],
    ['{"a":1}x', "invalid_json"],
    ["{'a':1}", "invalid_json"],
    ['{"a":NaN}', "invalid_json"],
    ["12", "not_an_object"],
    ['"text"', "not_an_object"],
    ["12345678901234567890", "not_an_object"],
    ['[{"a":1},2]', "not_an_object"],
    ["[null]", "not_an_object"],
    ['{"a":1e999}', "invalid_value"],
    ['{"a":[null,{"b":-1e999}]}', "invalid_value"],
    ['{"properties":{"a":[1e999]}}', "invalid_value"],
  ])("%j is bad: %s", async (line, reason) => {
    const parse = await openFormat({ type: "json" });
    expect(parse(line)).toMatchObject(failure(reason));
  });
});

describe("records", () => {
  const nested = '{"app":"x","data":{"n":1,"list":[{"a":1},{"app":"y"}]}}';

  test.each([
    ["drop", [{ properties: { a: 1 } }, { properties: { app: "y" } }]],
    ["keep", [{ properties: { app: "x", a: 1 } }, { properties: { app: "y" } }]],
  ])("the envelope: %s", async (envelope, records) => {
    const parse = await openFormat({ type: "json", records: "data.list", envelope });
    expect(parse(nested)).toEqual(records);
  });

  test.each([
    ['{"data":{}}', "missing_key"],
    ['{"data":{"list":null}}', "missing_key"],
    ['{"data":{"list":5}}', "not_an_object"],
    ['{"data":{"list":[5]}}', "not_an_object"],
    ["[]", "not_an_object"],
  ])("%j is bad: %s", async (line, reason) => {
    const parse = await openFormat({ type: "json", records: "data.list" });
    expect(parse(line)).toMatchObject(failure(reason));
  });

  test("one bad record makes the line bad, so that it can be replayed as a whole", async () => {
    const parse = await openFormat({ type: "json", required: ["a"] });
    expect(parse('[{"a":1},{"b":2}]')).toMatchObject(failure("missing_key"));
  });
});

describe("integers beyond 2^53 keep their digits", () => {
  test.each([
    '"a":12345678901234567890',
    '"a":-9007199254740993',
    '"a":[1,{"b":9007199254740993}],"c":1',
    '"a":1,"long":"99999999999999999999","b":123456789012345678901234567890',
  ])("%s", async (members) => {
    const parse = await openRaw({ type: "json" });
    expect(parse(`{${members}}`)).toEqual([`{"properties":{${members}}}`]);
  });

  test("also as an account, in a template and as text", async () => {
    const parse = await openRaw({
      type: "json",
      rest: "drop",
      mapping: {
        "#account_id": { from: "id", type: "text" },
        "#event_name": "e_{id}",
        n: { from: "id", type: "number" },
      },
    });
    expect(parse('{"id":9007199254740993}')).toEqual([
      '{"#account_id":"9007199254740993","#event_name":"e_9007199254740993","properties":{"n":9007199254740993}}',
    ]);
  });
});

describe("keys that every object inherits are plain data", () => {
  const line = '{"__proto__":{"x":1},"constructor":"c","toString":2}';

  test("kept", async () => {
    const parse = await openRaw({ type: "json" });
    expect(parse(line)).toEqual([`{"properties":${line}}`]);
  });

  test("mapped from and to", async () => {
    const parse = await openRaw({
      type: "json",
      rest: "drop",
      mapping: { constructor: "toString", valueOf: "constructor", y: "__proto__.x", z: "hasOwnProperty" },
    });
    expect(parse(line)).toEqual(['{"properties":{"constructor":2,"valueOf":"c","y":1}}']);
  });

  test("missing ones are missing", async () => {
    const parse = await openFormat({ type: "json", required: ["constructor"] });
    expect(parse('{"a":1}')).toMatchObject(failure("missing_key"));
  });
});

test.each(["[", '{"a":'])("100,000 levels of %s neither crash nor hang", async (open) => {
  const parse = await openFormat({ type: "json" });
  const close = open === "[" ? "]" : "}";
  const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
  const parsed = parse(`{"a":${deep}}`);
  // Since Node 26, JSON has no limit of depth. Comparing objects of this depth would exceed the stack.
  if (isWritten(deep)) expect(JSON.stringify(parsed)).toBe(`[{"properties":{"a":${deep}}}]`);
  else expect(parsed).toMatchObject(failure("invalid_json"));
});

function isWritten(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
