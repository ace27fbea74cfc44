import { describe, expect, test } from "vitest";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { problemsOf } from "./open-format.ts";

const columns = ["a", "b"];
const delimited = { type: "delimited", separator: ",", columns };

describe("each fault is named at its place", () => {
  test.each<[name: string, format: object, path: (string | number)[], message: RegExp]>([
    ["bad pattern", { type: "regex", pattern: "(" }, ["pattern"], /bad regular expression/],
    ["lookbehind", { type: "regex", pattern: "(?<=a)(?P<x>b)" }, ["pattern"], /bad regular expression/],
    ["no group", { type: "regex", pattern: "a" }, ["pattern"], /no named group/],
    ["bad glob", { type: "json", index: ["*", "[a"] }, ["index", 1], /unclosed/],
    ["bad index pattern", { type: "json", index: "/(/" }, ["index", 0], /bad regular expression/],
    [
      "unknown column",
      { ...delimited, mapping: { x: "c" } },
      ["mapping", "x"],
      /there is no column "c", valid are "a", "b"$/,
    ],
    [
      "unknown column in a template",
      { ...delimited, mapping: { x: "{a}{c}" } },
      ["mapping", "x"],
      /no column "c"/,
    ],
    ["required, but no column", { ...delimited, required: ["a", "c"] }, ["required", 1], /no column "c"/],
    [
      "unknown group",
      { type: "regex", pattern: "(?P<a>.)", mapping: { x: "b" } },
      ["mapping", "x"],
      /there is no column "[^"]+", valid are "a"$/,
    ],
    [
      "unknown access log field",
      { type: "access_log", mapping: { x: "uri" } },
      ["mapping", "x"],
      /remote_addr/,
    ],
    ["unknown syslog field", { type: "syslog", mapping: { x: "pid" } }, ["mapping", "x"], /procid/],
    [
      "duplicate column",
      { ...delimited, columns: ["a", "b", "a"] },
      ["columns", 2],
      /named twice, first as column 1/,
    ],
    [
      "a column extra beside the kept ones",
      { ...delimited, columns: ["extra"], extraColumns: "keep" },
      ["columns", 0],
      /named twice/,
    ],
    [
      "empty template",
      { type: "json", mapping: { x: { template: "" } } },
      ["mapping", "x", "template"],
      /empty/,
    ],
    ["open brace", { type: "json", mapping: { x: "a{b" } }, ["mapping", "x", "template"], /"{" without "}"/],
    ["nothing to read", { type: "json", mapping: { x: {} } }, ["mapping", "x"], /exactly one of .* got none/],
    [
      "two to read",
      { type: "json", mapping: { x: { from: "a", value: 1 } } },
      ["mapping", "x"],
      /got from and value/,
    ],
    [
      "bad time pattern",
      { type: "json", mapping: { x: { from: "a", type: "time", format: "yyyy-QQ-dd" } } },
      ["mapping", "x", "format", 0],
      /unknown letters "QQ"/,
    ],
    [
      "bad zone",
      { type: "json", mapping: { x: { from: "a", type: "time", zone: "Mars/Base" } } },
      ["mapping", "x", "zone"],
      /unknown zone "Mars\/Base"/,
    ],
    [
      "bad output zone in a column",
      { ...delimited, columns: ["a", { name: "b", type: "time", outputZone: "+25:00" }] },
      ["columns", 1, "outputZone"],
      /unknown zone/,
    ],
    [
      "a key of another type",
      { type: "json", mapping: { x: { from: "a", type: "number", zone: "Z" } } },
      ["mapping", "x", "zone"],
      /only for time/,
    ],
    [
      "a type of a constant",
      { type: "json", mapping: { x: { value: 1, type: "text" } } },
      ["mapping", "x", "type"],
      /constant/,
    ],
    [
      "tuples without parts",
      { ...delimited, columns: [{ name: "a", type: "tuples" }] },
      ["columns", 0],
      /need parts/,
    ],
    [
      "a part named twice",
      { ...delimited, columns: [{ name: "a", type: "tuples", parts: ["p", "p"] }] },
      ["columns", 0, "parts"],
      /named twice/,
    ],
    [
      "a list within tuples without a separator",
      { ...delimited, columns: [{ name: "a", type: "tuples", parts: [{ name: "p", type: "list" }] }] },
      ["columns", 0, "parts", 0],
      /needs a separator/,
    ],
    [
      "a list within tuples with the separator of the tuples",
      {
        ...delimited,
        columns: [{ name: "a", type: "tuples", parts: [{ name: "p", type: "list", separator: "," }] }],
      },
      ["columns", 0, "parts", 0, "separator"],
      /"," cannot be distinguished from ","/,
    ],
    [
      "a separator of a part that is no list",
      { ...delimited, columns: [{ name: "a", type: "tuples", parts: [{ name: "p", separator: ";" }] }] },
      ["columns", 0, "parts", 0, "separator"],
      /has no effect on type text/,
    ],
    [
      "equal separators",
      { ...delimited, columns: [{ name: "a", type: "tuples", parts: ["p"], separator: "," }] },
      ["columns", 0, "itemSeparator"],
      /both ","/,
    ],
    [
      "two times that set the offset",
      {
        type: "json",
        mapping: { "#time": { from: "a", type: "time" }, x: { from: "b", type: "time", zoneOffset: true } },
      },
      ["mapping"],
      /only one time can set #zone_offset/,
    ],
  ])("%s", async (_name, format, path, message) => {
    expect(await problemsOf(format)).toContainEqual({
      path: ["formats", 0, ...path],
      message: expect.stringMatching(message),
    });
  });
});

test("all are reported at once", async () => {
  const problems = await problemsOf(
    { name: "a", type: "regex", pattern: "(" },
    { name: "a", ...delimited, mapping: { x: "c", y: "{" } },
  );
  expect(problems.map(({ path }) => path.join("."))).toEqual([
    "formats.0.pattern",
    "formats.1.name",
    "formats.1.mapping.y.template",
    "formats.1.mapping.x",
  ]);
});

describe("the schema", () => {
  function messages(parser: object): string[] {
    const { error } = parserConfigSchema.safeParse(parser);
    return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
  }

  test("an empty section gives the defaults", () => {
    expect(parserConfigSchema.parse({})).toMatchObject({
      separator: "::",
      indexSeparator: "|ta|",
      recordSeparator: "\u0001",
      framing: { grpc: "items", connect: "items", "grpc-web": "items", rest: "items" },
      maxLineBytes: 16_777_216,
      formats: [],
    });
  });

  test.each<[string, object, RegExp]>([
    [
      "unknown key",
      { separators: ":" },
      /unknown key "separators", the nearest is "separator", valid are "separator", "indexSeparator"/,
    ],
    [
      "unknown key of a format",
      { formats: [{ name: "a", index: "*", type: "json", maping: {} }] },
      /formats\.0: unknown key "maping", the nearest is "mapping", valid are .*"mapping"/,
    ],
    [
      "unknown key of an entry",
      { formats: [{ name: "a", index: "*", type: "json", mapping: { x: { form: "a" } } }] },
      /formats\.0\.mapping\.x: unknown key "form", the nearest is "from", valid are "from"/,
    ],
    ["unknown type", { formats: [{ name: "a", index: "*", type: "jsn" }] }, /formats\.0\.type: .*'json'/],
    ["unknown framing", { framing: "line" }, /framing: expected one of items, lines, none/],
    ["equal separators", { separator: "|ta|" }, /separator: "\|ta\|" contains indexSeparator/],
    [
      "one in the other",
      { separator: ":", indexSeparator: "::" },
      /indexSeparator: "::" contains separator ":"/,
    ],
    ["no separator", { separator: "" }, /separator/],
  ])("%s", (_name, parser, message) => {
    expect(messages(parser)).toContainEqual(expect.stringMatching(message));
  });

  test.each([
    ["lines", { grpc: "lines", connect: "lines", "grpc-web": "lines", rest: "lines" }],
    [{ rest: "none" }, { grpc: "items", connect: "items", "grpc-web": "items", rest: "none" }],
  ])("framing %j", (framing, expected) => {
    expect(parserConfigSchema.parse({ framing }).framing).toEqual(expected);
  });
});
