import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type JsonObject, parseJson } from "../../../../../base/json/raw-numbers.ts";
import { mappingShape } from "../../../../../services/parser/mapping/config.ts";
import { compileMapping } from "../../../../../services/parser/mapping/mapping.ts";
import { createProblems } from "../../../../../services/parser/mapping/problems.ts";
import { casesOf } from "../../../../thorough.ts";

const configs = [
  {},
  {
    required: ["a"],
    mapping: { "#account_id": "a", "#event_name": "event_{b}", kind: { value: "x" } },
  },
  { mapping: { "#account_id": "c", number: { from: "b", type: "number" } }, rest: "drop" },
  { mapping: { "#ip": "a", list: { from: "b", type: "list" }, first: "b.0" }, rest: "all" },
];

function compile(config: object, refusesMissingId = false) {
  const problems = createProblems();
  return compileMapping(z.object(mappingShape).parse(config), {
    at: [],
    problems,
    now: () => 0,
    knownFields: undefined,
    defaultNulls: [],
    refusesMissingId,
  });
}

/** The record as it comes from parsing the line; undefined for a line that is refused or no JSON. */
function mapParsed({ map }: ReturnType<typeof compile>, line: string): string | undefined {
  try {
    const record = map(parseJson(line) as JsonObject, !line.includes("\\"));
    return typeof record === "string" ? record : undefined;
  } catch {
    return undefined;
  }
}

/** A mapping that has parsed `example`, and so knows its kind of line. */
function taught(config: object, example: string, refusesMissingId = false): ReturnType<typeof compile> {
  const mapping = compile(config, refusesMissingId);
  mapParsed(mapping, example);
  return mapping;
}

const keys = ["a", "b", "c", "#type", "#time", "with space", "é"] as const;
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    "0",
    "-0",
    "1.0",
    "1.50",
    "0.000001",
    "0.0000001",
    "1e5",
    "1E400",
    "123456789012345678",
    "01",
  ),
);
const scalar = fc.oneof(
  number,
  fc.constantFrom("true", "false", "null", "tru", "nul"),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  fc.string({ maxLength: 12 }).map((text) => `"${text}"`),
);
/** Values that are usual in logs, so that most lines can be copied. */
const usual = fc.oneof(
  fc.integer().map(String),
  fc.integer().map((cents) => String(cents / 100)),
  fc.constantFrom("true", "false", "null", "[]", '["x",1]'),
  fc.stringMatching(/^[a-z 0-9:-]{0,20}$/).map((text) => `"${text}"`),
);
const list = fc.array(scalar, { maxLength: 4 }).map((values) => `[${values.join(",")}]`);
const value = fc.oneof(
  { weight: 40, arbitrary: usual },
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: list },
  fc.constantFrom("{}", '{"x":1}', "[ 1]", "[[1]]", "[1,]", ""),
);
const values = fc.array(value, { minLength: keys.length, maxLength: keys.length });
const lineOf = (texts: readonly string[]): string =>
  `{${keys.map((key, index) => `${JSON.stringify(key)}:${texts[index]}`).join(",")}}`;
const example = lineOf(keys.map(() => "1"));

describe.each(configs)("a mapping %j", (config) => {
  it("gives for a line in place what it gives for a parsed one, or nothing", () => {
    fc.assert(
      fc.property(values, (texts) => {
        const line = lineOf(texts);
        const mapping = taught(config, example);
        const record = mapping.copier?.mapLine(line);
        expect([undefined, mapParsed(compile(config), line)]).toContain(record);
      }),
      { numRuns: casesOf(500) },
    );
  });

  it("gives nothing but the right record for a line that was tampered with", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.string({ minLength: 1, maxLength: 2, unit: "binary" }), (at, inserted) => {
        const line = lineOf(['"text"', "12.5", "null", '"track"', "true", "[1,2]", '"x"']);
        const tampered = line.slice(0, at) + inserted + line.slice(at);
        const record = taught(config, example).copier?.mapLine(tampered);
        expect([undefined, mapParsed(compile(config), tampered)]).toContain(record);
      }),
      { numRuns: casesOf(500) },
    );
  });
});

it.each<[name: string, line: string, record: string]>([
  ["texts and numbers", '{"a":"x","b":12.5,"c":-3}', '{"#account_id":"x","properties":{"b":12.5,"c":-3}}'],
  [
    "a list",
    '{"a":"x","b":[1,"y",true,null],"c":[]}',
    '{"#account_id":"x","properties":{"b":[1,"y",true,null],"c":[]}}',
  ],
  ["null in the place of a field", '{"a":"x","b":null,"c":3}', '{"#account_id":"x","properties":{"c":3}}'],
  ["null in the place of all", '{"a":null,"b":null,"c":null}', "{}"],
])("copies %s", (_name, line, record) => {
  const mapping = taught({ mapping: { "#account_id": "a" } }, '{"a":1,"b":2,"c":3}');
  expect(mapping.copier?.mapLine(line)).toBe(record);
  expect(mapParsed(mapping, line)).toBe(record);
});

it.each<[name: string, line: string]>([
  ["an escape", '{"a":"\\n","b":2}'],
  ["a control character", '{"a":"\u0001","b":2}'],
  ["blanks", '{"a": 1, "b": 2}'],
  ["another order", '{"b":1,"a":2}'],
  ["a key less", '{"a":1}'],
  ["a key more", '{"a":1,"b":2,"c":3}'],
  ["a key twice", '{"a":1,"b":2,"a":3}'],
  ["an object", '{"a":{},"b":2}'],
  ["something after it", '{"a":1,"b":2}}'],
  ["no end", '{"a":1,"b":2'],
  ["a number that would be spelt otherwise", '{"a":1.0,"b":2}'],
])("leaves %s to be parsed", (_name, line) => {
  expect(taught({}, '{"a":1,"b":2}').copier?.mapLine(line)).toBeUndefined();
});

it.each([
  ['{"a":"x","b":2}', '{"#account_id":"x","properties":{"b":2}}'],
  ['{"a":123,"b":2}', '{"#account_id":123,"properties":{"b":2}}'],
  ['{"a":null,"b":2}', undefined],
  ['{"a":"","b":2}', undefined],
])("copies %s as %j where an id is needed", (line, record) => {
  const mapping = taught({ mapping: { "#account_id": "a" } }, '{"a":1,"b":2}', true);
  expect(mapping.copier?.mapLine(line)).toBe(record);
  expect(mapParsed(mapping, line)).toBe(record);
});

it("leaves lines with a null text to be parsed", () => {
  expect(taught({ nulls: ["-"] }, '{"a":1}').copier?.mapLine('{"a":"-"}')).toBeUndefined();
});

it("knows a few kinds of lines at a time", () => {
  const mapping = compile({});
  const lines = Array.from("abcdefgh", (key) => `{"${key}":1}`);
  for (const line of lines) {
    mapping.copier?.mapLine(line);
    mapParsed(mapping, line);
  }
  mapping.copier?.mapLine('{"none":1}');
  expect(lines.map((line) => mapping.copier?.mapLine(line))).toEqual(
    lines.map((line) => mapParsed(compile({}), line)),
  );
});

it("stops to try on lines that never fit, and begins again later", () => {
  const mapping = taught({}, '{"a":1}');
  expect(mapping.copier?.mapLine('{"a":1}')).toBeDefined();
  for (let line = 0; line < 64; line++) mapping.copier?.mapLine("{}");
  expect(mapping.copier?.mapLine('{"a":1}')).toBeUndefined();
  for (let line = 0; line < 1_000; line++) mapping.copier?.mapLine("{}");
  expect(mapping.copier?.mapLine('{"a":1}')).toBeDefined();
});

it("stops to try on lines of ever new kinds, unless most are of kinds before", () => {
  const mapping = compile({});
  const known = '{"known":1}';
  const teach = (line: string) => {
    mapping.copier?.mapLine(line);
    mapParsed(mapping, line);
  };
  const other = (at: number) => `{"other${at}":1}`;
  for (let at = 0; at < 50; at++) [known, known, known, other(at)].forEach(teach);
  expect(mapping.copier?.mapLine(known)).toBeDefined();
  for (let at = 50; at < 70; at++) teach(other(at));
  expect(mapping.copier?.mapLine(known)).toBeUndefined();
});
