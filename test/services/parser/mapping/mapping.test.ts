import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failure, openFormat, openRaw } from "../formats/open-format.ts";

describe("rest", () => {
  const mapping = { "#account_id": "id", level: "lvl" };
  const line = '{"id":"a","lvl":3,"gold":5,"#ip":"1.2.3.4"}';

  test.each([
    ["keep", { "#account_id": "a", "#ip": "1.2.3.4", properties: { level: 3, gold: 5 } }],
    ["drop", { "#account_id": "a", properties: { level: 3 } }],
    ["all", { "#account_id": "a", "#ip": "1.2.3.4", properties: { level: 3, id: "a", lvl: 3, gold: 5 } }],
  ])("%s", async (rest, record) => {
    const parse = await openFormat({ type: "json", mapping, rest });
    expect(parse(line)).toEqual([record]);
  });

  test("properties is left out when it would be empty", async () => {
    const parse = await openRaw({ type: "json", mapping: { "#account_id": "id" } });
    expect(parse('{"id":"a","x":null}')).toEqual(['{"#account_id":"a"}']);
  });
});

describe("a line without an id", () => {
  test.each([
    ["json", {}, '{"b":1}'],
    ["json", {}, '{"id":"","b":1}'],
    ["json", {}, '{"id":null,"b":"\\"#account_id\\":1"}'],
    ["logfmt", {}, "b=1"],
    ["delimited", { separator: ",", columns: ["id", "b"] }, ",1"],
  ])("is bad as %s %j: %s", async (type, format, line) => {
    const parse = await openFormat({ type, ...format, mapping: { "#account_id": "id" } });
    expect(parse(line)).toMatchObject(failure("missing_id"));
  });

  test("is one that keeps the other id", async () => {
    const parse = await openFormat({ type: "json", mapping: { "#account_id": "id" } });
    expect(parse('{"#distinct_id":"d"}')).toEqual([{ "#distinct_id": "d" }]);
  });
});

describe("names", () => {
  test.each([
    ["two fields swap names", { a: "b", b: "a" }, '{"a":1,"b":2}', { properties: { a: 2, b: 1 } }],
    ["a target hides a field of its name", { a: "b" }, '{"a":1,"b":2,"c":3}', { properties: { a: 2, c: 3 } }],
    ["even without a value", { a: "b" }, '{"a":1,"c":3}', { properties: { c: 3 } }],
    ["a root target hides a root field", { "#ip": "x" }, '{"#ip":"1","x":"2"}', { "#ip": "2" }],
    ["one source, two targets", { a: "x", b: "x" }, '{"x":1}', { properties: { a: 1, b: 1 } }],
    [
      "a dotted path leaves the field",
      { a: "x.y" },
      '{"x":{"y":1,"z":2}}',
      { properties: { a: 1, x: { y: 1, z: 2 } } },
    ],
    ["an index of a list", { a: "x.1.y" }, '{"x":[0,{"y":1}]}', { properties: { a: 1, x: [0, { y: 1 }] } }],
    ["a key with dots", { a: "x.y" }, '{"x.y":1}', { properties: { a: 1 } }],
    ["length of a list is no field", { a: "x.length" }, '{"x":[1]}', { properties: { x: [1] } }],
    [
      "properties of a record",
      { "#account_id": "properties.uid", level: "lvl" },
      '{"lvl":1,"b":1,"properties":{"uid":"u","level":9,"b":2}}',
      { "#account_id": "u", properties: { level: 1, b: 2 } },
    ],
  ])("%s", async (_name, mapping, line, record) => {
    const parse = await openFormat({ type: "json", mapping });
    expect(parse(line)).toEqual([record]);
  });
});

describe("entries", () => {
  test.each([
    ["a constant", { x: { value: { a: [1, null] } } }, "{}", { properties: { x: { a: [1, null] } } }],
    ["a constant null", { x: { value: null } }, "{}", {}],
    ["a template with quotes", { x: 'say "{a}"' }, '{"a":"b"}', { properties: { x: 'say "b"' } }],
    [
      "a template with a type",
      { x: { template: "{a}{b}", type: "number" } },
      '{"a":1,"b":2}',
      { properties: { x: 12 } },
    ],
    ["a template without its field", { x: "e_{a}" }, '{"b":1}', { properties: { b: 1 } }],
    ["text of a number", { x: { from: "a", type: "text" } }, '{"a":1.50}', { properties: { x: "1.5" } }],
    [
      "text of an object",
      { x: { from: "a", type: "text" } },
      '{"a":{"b":1}}',
      { properties: { x: '{"b":1}' } },
    ],
    ["number of a text", { x: { from: "a", type: "number" } }, '{"a":"12"}', { properties: { x: 12 } }],
    ["boolean of a number", { x: { from: "a", type: "boolean" } }, '{"a":0}', { properties: { x: false } }],
    [
      "list of a text",
      { x: { from: "a", type: "list", separator: "," } },
      '{"a":"b,c"}',
      { properties: { x: ["b", "c"] } },
    ],
    [
      "list of an empty text",
      { x: { from: "a", type: "list", separator: "," } },
      '{"a":""}',
      { properties: { x: [] } },
    ],
    [
      "items of a list",
      { x: { from: "a", type: "list", items: "text" } },
      '{"a":[1,true]}',
      { properties: { x: ["1", "true"] } },
    ],
    [
      "object of a text",
      { x: { from: "a", type: "object" } },
      '{"a":"{\\"b\\":1}"}',
      { properties: { x: { b: 1 } } },
    ],
    ["json null", { x: { from: "a", type: "json" } }, '{"a":"null"}', { properties: { x: null } }],
    [
      "tuples",
      { x: { from: "a", type: "tuples", parts: ["k", { name: "n", type: "number" }], separator: ":" } },
      '{"a":"p:1,q:"}',
      { properties: { x: [{ k: "p", n: 1 }, { k: "q" }] } },
    ],
    [
      "a bad value may be dropped",
      { x: { from: "a", type: "number", onInvalid: "drop" } },
      '{"a":"z","b":1}',
      { properties: { b: 1 } },
    ],
  ])("%s", async (_name, mapping, line, record) => {
    const parse = await openFormat({ type: "json", mapping });
    expect(parse(line)).toEqual([record]);
  });

  test.each([
    [{ x: { from: "a", type: "number" } }, '{"a":true}', 'a: "true" is not a number'],
    [{ x: { from: "a", type: "number" } }, '{"a":"1x"}', 'a: "1x" is not a number'],
    [{ x: { from: "a", type: "boolean" } }, '{"a":2}', 'a: "2" is not true, false, 1 or 0'],
    [{ x: { from: "a", type: "list" } }, '{"a":{}}', 'a: "{}" is not a list'],
    [{ x: { from: "a", type: "object" } }, '{"a":"{"}', 'a: "{" is not a JSON object'],
    [{ x: { from: "a", type: "list", items: "number" } }, '{"a":[1,"b"]}', 'a: item 2: "b" is not a number'],
    [{ x: { template: "{a}!", type: "number" } }, '{"a":1}', 'template "{a}!": "1!" is not a number'],
  ])("%j refuses %s", async (mapping, line, message) => {
    const parse = await openFormat({ type: "json", mapping });
    expect(parse(line)).toEqual({ ...failure("invalid_value"), message });
  });
});

describe("the zone offset", () => {
  const time = { from: "t", type: "time", zone: "+08:00" };
  const line = '{"t":"2024-03-10 01:02:03"}';
  const at = "2024-03-10 01:02:03.000";

  test.each([
    ["is written for #time", { "#time": time }, { "#time": at, properties: { "#zone_offset": 8 } }],
    ["not if the zone is unknown", { "#time": { from: "t", type: "time" } }, { "#time": at }],
    ["not if configured so", { "#time": { ...time, zoneOffset: false } }, { "#time": at }],
    ["not for other times", { x: time }, { properties: { x: at } }],
    [
      "unless configured so",
      { x: { ...time, zoneOffset: true } },
      { properties: { x: at, "#zone_offset": 8 } },
    ],
    [
      "and may be a constant",
      { "#time": time, "#zone_offset": { value: 5.5 } },
      { "#time": at, properties: { "#zone_offset": 5.5 } },
    ],
  ])("%s", async (_name, mapping, record) => {
    const parse = await openFormat({ type: "json", mapping });
    expect(parse(line)).toEqual([record]);
  });

  test("the format's zones are the defaults", async () => {
    const mapping = {
      "#time": { from: "t", type: "time" },
      x: { from: "t", type: "time", outputZone: "+01:00" },
    };
    const parse = await openFormat({ type: "json", zone: "UTC", outputZone: "+08:00", mapping });
    expect(parse(line)).toEqual([
      { "#time": "2024-03-10 09:02:03.000", properties: { x: "2024-03-10 02:02:03.000", "#zone_offset": 8 } },
    ]);
  });
});

test("required fields may be nested, and a null text is missing", async () => {
  const parse = await openFormat({ type: "json", required: ["a.b"], nulls: ["none"] });
  expect(parse('{"a":{"b":1}}')).toEqual([{ properties: { a: { b: 1 } } }]);
  expect(parse('{"a":{}}')).toMatchObject({ ...failure("missing_key"), message: "a.b is missing" });
  expect(parse('{"a":{"b":"none"}}')).toMatchObject(failure("missing_key"));
});

test("lines of many kinds in turn are each mapped by their own keys", async () => {
  const parse = await openFormat({ type: "json", mapping: { "#account_id": "id" } });
  const kinds = Array.from({ length: 20 }, (_, at) => `k${at}`);
  const lines = [...kinds, ...kinds, ...kinds.toReversed()].map((key) => `{"${key}":1,"id":"${key}"}`);
  expect(lines.map((line) => parse(line))).toEqual(
    lines.map((line) => {
      const { id, ...rest } = JSON.parse(line) as { id: string };
      return [{ "#account_id": id, properties: rest }];
    }),
  );
});

test("a line of a thousand keys is mapped as a short one", async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, at]));
  const parse = await openFormat({ type: "json", mapping: { "#account_id": "k1", level: "k2", k4: "k3" } });
  const { k1, k2, k3, k4, ...rest } = many;
  const line = { ...many, "#ip": "1.2.3.4", no: null };
  const record = { "#account_id": k1, "#ip": "1.2.3.4", properties: { ...rest, level: k2, k4: k3 } };
  expect(parse(JSON.stringify(line))).toEqual([record]);
  expect(parse(JSON.stringify({ ...line, properties: { k5: "own", k4: "hidden" } }))).toEqual([
    { ...record, properties: { ...record.properties, k5: "own" } },
  ]);
  expect(parse(JSON.stringify(line).replace('"k5":5', '"k5":1e999'))).toMatchObject(failure("invalid_value"));
});

test.each([
  ["of the line", (many: object) => many],
  ["of its properties", (many: object) => ({ properties: many })],
])("more than 10,000 fields %s are refused", async (_name, lineOf) => {
  const parse = await openFormat({ type: "json" });
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`k${at}`, at]));
  const refused = { ...failure("invalid_value"), message: "more than 10000 fields" };
  expect(parse(JSON.stringify(lineOf(many)))).toMatchObject(refused);
});

test("without a mapping any object is kept whole, whatever is in its texts and keys", async () => {
  const parse = await openFormat({ type: "json" });
  const text = fc.string({ unit: "binary" });
  const key = text.filter((name) => name !== "properties");
  const value = fc.oneof(
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.array(text),
  );
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }), (object) => {
      const line = JSON.stringify(object);
      expect(parse(line)).toEqual([{ properties: JSON.parse(line) }]);
    }),
  );
});
