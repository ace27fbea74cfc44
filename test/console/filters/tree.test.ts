import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJsonTree } from "../../../console/src/controls/json-tree.ts";
import {
  elementsAt,
  isTooLargeForForm,
  textAt,
  textTree,
  valueAt,
  withValue,
  wordTree,
  writeTree,
} from "../../../console/src/filters/tree.ts";

const read = (json: string) => readJsonTree(json)!;

test.each([
  ['{"b":1,"a":[true,null,"x\\n"],"b":2}'],
  ['{"n":9007199254740993,"f":1.50,"e":1E3}'],
  ["[]"],
  ['{"a":{},"b":[]}'],
])("%s is written as it was read", (json) => {
  expect(writeTree(read(json))).toBe(json);
  expect(writeTree(read(writeTree(read(json), 2)))).toBe(json);
});

test("any JSON is written as it was read, in one line and in several", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const line = JSON.stringify(JSON.parse(json));
      const tree = read(line);
      expect(writeTree(tree)).toBe(line);
      expect(writeTree(read(writeTree(tree, 2)))).toBe(line);
    }),
  );
});

const query = read('{"events":[{"eventName":"a","x":1},{"eventName":"b"}],"n":null,"events2":3,"d":1,"d":2}');

describe("a value", () => {
  test.each([
    [["events", 1, "eventName"], "b"],
    [["n"], ""],
    [["missing", 0], ""],
    [["events"], ""],
    [["d"], "2"],
  ])("at %j is %s", (place, text) => expect(textAt(query, place)).toBe(text));

  test("is replaced where it is, and nothing else changes", () => {
    const changed = withValue(query, ["events", 0, "eventName"], textTree("c"))!;
    expect(writeTree(changed)).toBe(writeTree(query).replace('"a"', '"c"'));
  });

  test("is made with all that is on the way to it", () => {
    const changed = withValue(query, ["eventView", "filts", 0, "ftv", 0], textTree("x"))!;
    expect(writeTree(valueAt(changed, ["eventView"])!)).toBe('{"filts":[{"ftv":["x"]}]}');
  });

  test("is removed", () => {
    expect(elementsAt(withValue(query, ["events", 0], undefined), ["events"])).toHaveLength(1);
    expect(writeTree(withValue(query, ["d"], undefined)!)).not.toContain('"d"');
  });

  test("replaces one of another kind", () => {
    expect(writeTree(withValue(read('{"a":1}'), ["a", "b"], wordTree(true))!)).toBe('{"a":{"b":true}}');
  });
});

test.each([
  [299, false],
  [300, true],
  [50_000, true],
])("a form of %i conditions is too large: %o", (count, expected) => {
  const filters = Array.from({ length: count }, () => "{}");
  expect(isTooLargeForForm(read(`{"filts":[${filters.join()}],"events":["a",1]}`))).toBe(expected);
});
