import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureReasons } from "../../../../services/parser/line/line.ts";
import { casesOf } from "../../../thorough.ts";
import { openRaw } from "./open-format.ts";

const formats: Record<string, object> = {
  json: { type: "json", mapping: { "#time": { from: "t", type: "time", onInvalid: "drop" }, e: "e_{a}" } },
  "json with records": { type: "json", records: "r", envelope: "keep" },
  delimited: {
    type: "delimited",
    separator: ",",
    columns: ["a", "b"],
    extraColumns: "keep",
    missingColumns: "ignore",
  },
  quoted: {
    type: "delimited",
    separator: ["|", ","],
    quotes: "double",
    columns: ["a"],
    extraColumns: "ignore",
  },
  regex: { type: "regex", pattern: "(?s)(?P<first>.)(?P<rest>.*)" },
  logfmt: { type: "logfmt" },
  access_log: { type: "access_log" },
  syslog: { type: "syslog" },
  pass_through: { type: "pass_through" },
  unwrapped: { type: "logfmt", unwrap: { key: "log" } },
};

const pieces = [
  ..."\u0000\u0001\t\n\r \"'\\{}[]<>:,=-|",
  "\u2028",
  "\ud800",
  "__proto__",
  '{"a":',
  '{"log":"',
  '"r":[{}]',
  "1e999",
  "12345678901234567890",
  '<34>1 - - - - - [a b="c"] ',
  "Sep  4 16:46:06 h a: ",
  ' [x] "GET / HTTP" 200 1',
  "null",
];

const piecedLine = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 5 })))
  .map((all) => all.join(""));
const jsonLine = fc.json({ stringUnit: "binary" });
const objectLine = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
const anyLine = fc.oneof(piecedLine, jsonLine, objectLine);

function controlsIn(text: string): number[] {
  return [...text].map((char) => char.codePointAt(0)!).filter((code) => code < 32);
}

/** Good records are objects on one line of JSON; failures have a known reason. */
function check(
  result: Awaited<ReturnType<typeof openRaw>> extends (line: string) => infer R ? R : never,
): void {
  const [records, reasons] = "failed" in result ? [[], [result.reason]] : [result, []];
  for (const reason of reasons)
    expect(failureReasons.filter((known) => known !== "internal_error")).toContain(reason);
  for (const record of records) {
    expect(controlsIn(record)).toEqual([]);
    expect(JSON.parse(record)).toBeTypeOf("object");
  }
}

describe("no line throws, and every record is one line of JSON", () => {
  test.each(Object.keys(formats))("%s", async (name) => {
    const parse = await openRaw(formats[name]!);
    fc.assert(
      fc.property(anyLine, (line) => check(parse(line))),
      { numRuns: casesOf(400) },
    );
  });
});

describe("a line of a megabyte", () => {
  const lines: Record<string, string> = {
    quotes: '"'.repeat(1_000_000),
    backslashes: `a="${"\\".repeat(1_000_000)}`,
    braces: `{"log":"${"{".repeat(1_000_000)}`,
    pairs: "a=1 ".repeat(250_000),
    brackets: "[".repeat(1_000_000),
    blanks: `${" ".repeat(1_000_000)}x`,
    digits: `{"a":${"9".repeat(1_000_000)}}`,
    columns: ",".repeat(1_000_000),
    keys: `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at}`).join(",")}}`,
  };

  test.each(Object.keys(formats).flatMap((name) => Object.keys(lines).map((line) => [name, line] as const)))(
    "%s of %s",
    async (name, line) => {
      const parse = await openRaw(formats[name]!);
      check(parse(lines[line]!));
    },
  );
});
