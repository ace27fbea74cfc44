import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWithBigInts } from "../../../../base/json/exact-numbers.ts";
import { headOf, maxRecordLength, showJson } from "../../../../services/event/watch/seen-record.ts";
import { casesOf } from "../../../thorough.ts";

describe("a record that is shown", () => {
  it("is the whole record where it is short", () => {
    const text = '{"#type":"track","properties":{"n":12345678901234567890,"l":["a",{"b":null}]}}';
    expect(showJson(parseWithBigInts(text))).toEqual({ json: text, cut: [], omittedMembers: 0 });
  });

  it("has the beginnings of long values, which are named", () => {
    const long = "x".repeat(600);
    const list = new Array<number>(400).fill(7);
    const { json, cut } = showJson({ "#ip": long, properties: { a: 1, text: long, list } });
    expect(cut).toEqual(["#ip", "properties.text", "properties.list"]);
    expect(JSON.parse(json)).toEqual({
      "#ip": `${"x".repeat(256)}…`,
      properties: { a: 1, text: `${"x".repeat(256)}…`, list: `${JSON.stringify(list).slice(0, 256)}…` },
    });
  });

  it("lacks members after the first ones where it is large", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`p${i}`, "x".repeat(100)]),
    );
    const { json, omittedMembers } = showJson({ "#type": "track", properties, "#time": "t" });
    const shown = Object.keys(JSON.parse(json).properties);
    expect(shown.length + omittedMembers).toBe(1_001);
    expect(json.length).toBeLessThan(maxRecordLength + 1_000);
  });

  it.each([
    ["a text that is no JSON", "x".repeat(600), `"${"x".repeat(256)}…"`],
    ["a list", [1, 2], "[1,2]"],
    ["a nested list", JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`), `"${"[".repeat(256)}…"`],
    ["half a pair", `${"x".repeat(255)}\u{1f600}${"x".repeat(600)}`, `"${"x".repeat(255)}…"`],
  ])("may be %s", (_name, record, json) => {
    expect(showJson(record).json).toBe(json);
  });

  it("is short JSON, whatever it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())), (record) => {
        const { json } = showJson(record);
        expect(() => JSON.parse(json)).not.toThrow();
        expect(json.length).toBeLessThan(2 * maxRecordLength);
      }),
      { numRuns: casesOf(1_000) },
    );
  });
});

it.each([
  [{ "#type": "track", "#event_name": "e", "#app_id": "own" }, undefined, ["track", "e", "own"]],
  [
    { "#type": "track", "#event_name": "e", "#app_id": "own" },
    "of the request",
    ["track", "e", "of the request"],
  ],
  [{ "#type": 1, "#event_name": {} }, undefined, ["", "", ""]],
  ["no JSON", "a", ["", "", "a"]],
  [null, undefined, ["", "", ""]],
])("what filters look at in %j of %j", (record, appid, expected) => {
  const { type, eventName, appid: found } = headOf({ projectId: 1, receivedMs: 0, appid, record });
  expect([type, eventName, found]).toEqual(expected);
});
