import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkFormats } from "../../../../services/parser/check/check.ts";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import { configOf } from "../formats/open-format.ts";

const problemsOf = (...formats: object[]) =>
  checkFormats(configOf(...formats)).map(({ path, message }) => `${path.slice(1).join(".")}: ${message}`);
const mappingOf = (mapping: object) => problemsOf({ type: "json", mapping });

describe("a mapping", () => {
  it.each<[string, object, string]>([
    [
      "an unknown type",
      { "#type": { value: "trak" } },
      '0.mapping.#type: "trak" is not a record type, the nearest is "track", valid are "track", ',
    ],
    [
      "a type that is no text",
      { "#type": { value: 1 } },
      '0.mapping.#type: "1" is not a record type, valid are',
    ],
    ["an unknown preset", { "#foo": "a" }, '0.mapping.#foo: "#foo" is not known: '],
    ["a misspelt field", { "#acount_id": "a" }, 'the nearest is "#account_id"'],
    [
      "a name with a space",
      { "a b": "x" },
      '0.mapping.a b: "a b" is not a valid property name: names begin with a letter',
    ],
    ["a name with a dot", { "a.b": "x" }, "is not a valid property name"],
    ["a name that begins with a digit", { "1a": "x" }, "is not a valid property name"],
    ["a name of 51 letters", { ["a".repeat(51)]: "x" }, "is not a valid property name"],
    [
      "a field of the record without its #",
      { event_name: "x" },
      'becomes a property: the field of the record is "#event_name", in quotes',
    ],
    [
      "names that differ by case",
      { Level: "a", level: "b" },
      '0.mapping.level: "level" and "Level" are the same property',
    ],
    [
      "an event's name that is not valid",
      { "#event_name": { value: "log in" } },
      '"log in" is not a valid event name',
    ],
    ["an event's name that is a number", { "#event_name": { value: 7 } }, '"7" is not a valid event name'],
    ["a template of such names", { "#event_name": "log-{a}" }, '"log-{a}" does not give valid event names'],
    ["a template that begins with a digit", { "#event_name": "1_{a}" }, "does not give valid event names"],
    ["one uuid for all", { "#uuid": { value: "a" } }, "all but the first record are duplicates"],
    [
      "an id that is no text",
      { "#account_id": { value: true } },
      '"true" is not a text, as #account_id requires',
    ],
    ["an address that is none", { "#ip": { value: "localhost" } }, '"localhost" is not an IP address'],
    ["a time that is none", { "#time": { value: "now" } }, '"now" is not a time'],
    ["an offset that is a text", { "#zone_offset": { value: "8" } }, "is not a number of hours"],
    ["a constant null", { a: { value: null } }, "a constant null writes nothing"],
    [
      "a template as a constant",
      { a: { value: "user_{id}" } },
      'for a template write "user_{id}" without value',
    ],
    ["a template as a field", { a: { from: "{id}" } }, "is a template: write { template: … }"],
  ])("with %s is reported", (_name, mapping, message) => {
    expect(mappingOf(mapping)).toContainEqual(expect.stringContaining(message));
  });

  it.each([
    {},
    { "#type": { value: "user_setOnce" }, "#account_id": "a", "#time": "t", level: "l" },
    { "#type": "kind", "#event_name": "event_{CODE}", "#os": "os", "#zone_offset": { value: 8 } },
    { "#account_id": { value: 7 }, account_id: "a", "#ip": { value: "::1" }, flag: { value: false } },
    { "#time": { value: "2026-01-31 12:00:00" }, "#event_name": "{a}{b}" },
  ])("%j has no mistakes", (mapping) => {
    expect(mappingOf(mapping)).toEqual([]);
  });

  const event = { "#type": { value: "track" }, "#time": "a", "#event_name": "b", "#account_id": "b" };
  const columns = { type: "delimited", separator: ",", columns: ["a", "b"] };
  const without = (key: string) => Object.fromEntries(Object.entries(event).filter(([name]) => name !== key));

  it.each([
    ["#type", "no #type"],
    ["#time", "no #time"],
    ["#event_name", "no #event_name"],
    ["#account_id", "no #account_id or #distinct_id"],
  ])("without %s is reported where no field can give it", (key, message) => {
    expect(problemsOf({ ...columns, mapping: without(key) })).toEqual([
      expect.stringContaining(`0.mapping: records have ${message}, so the event collector refuses them`),
    ]);
    expect(problemsOf({ ...columns, columns: ["a", "b", key], mapping: without(key) })).toEqual([]);
    expect(problemsOf({ type: "json", mapping: without(key) })).toEqual([]);
    expect(problemsOf({ type: "json", rest: "drop", mapping: without(key) })).toHaveLength(1);
  });

  it("that keeps nothing is reported", () => {
    expect(problemsOf({ type: "json", rest: "drop" })).toEqual([
      expect.stringContaining("all records are empty"),
    ]);
  });
});

describe("columns", () => {
  const list = { name: "x", type: "list", separator: ";" };
  const tuples = { name: "x", type: "tuples", parts: ["p", { name: "q", type: "list", separator: "+" }] };

  it.each([
    [";", [list], '";" also separates the columns'],
    ["|", [tuples], '"|" also separates the columns'],
    [",", [tuples], '"," also separates the columns'],
    ["+", [tuples], '"+" also separates the columns'],
    ["\t", ["user id"], 'the column "user id" is kept as a property, but its name is not valid'],
  ])("cut by %j: %j", (separator, columns, message) => {
    expect(problemsOf({ type: "delimited", separator, columns })).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    [{ separator: ";", quotes: "double", columns: [list] }],
    [{ separator: "\t", columns: ["user id"], mapping: { id: "user id" } }],
    [{ separator: "\t", columns: ["user id"], mapping: { id: "u{user id}" } }],
    [{ separator: "\t", columns: ["user id", "b"], mapping: { b: "b" }, rest: "drop" }],
  ])("of %j have no mistakes", (format) => {
    expect(problemsOf({ type: "delimited", ...format })).toEqual([]);
  });
});

describe("patterns", () => {
  const reach = (...indexes: (string | string[])[]) =>
    problemsOf(...indexes.map((index) => ({ type: "json", index })));

  it.each<[string | string[], string | string[]]>([
    ["*", "access.log"],
    ["**", "*.log"],
    ["**/*", "/var/log/*.log"],
    ["/.*/", "a"],
    ["/^/", "/b/"],
    [["a", "*"], "b*"],
    ["*.log", "access.log"],
    ["*.log*", "access-*.log"],
    ["a*", "ab?"],
    ["a.log", "a.log"],
    ["[a-z]*", "[a-z]*"],
    ["/log$/", "a.log"],
    ["[a-z]*", "x*"],
    ["/var/**", "/var/log/*.log"],
  ])("%j matches everything that %j does", (first, second) => {
    expect(reach(first, second)).toEqual([
      expect.stringMatching(
        /^1\.index\.0: ".+" is never reached: ".+" of the format "format 0" matches everything/,
      ),
    ]);
  });

  it.each<[string, string]>([
    ["access.log", "*"],
    ["access.log", "*.log"],
    ["*.log", "*.json"],
    ["a*", "*a"],
    ["[a-w]*", "x*"],
    ["/[^7]$/", "a*"],
    ["*x*", "?*"],
    ["/var/log/*", "*.log"],
  ])("%j leaves something to %j", (first, second) => {
    expect(reach(first, second)).toEqual([]);
  });

  it("twice in one format are reported", () => {
    expect(reach(["a", "a"])).toEqual([
      expect.stringMatching(/^0\.index\.1: "a" is never reached: "a" of this format/),
    ]);
  });
});

it("the demo's configuration has no mistakes", () => {
  const { parser } = parse(readFileSync("engage.demo.yaml", "utf8"));
  expect(checkFormats(parserConfigSchema.parse(parser))).toEqual([]);
});
