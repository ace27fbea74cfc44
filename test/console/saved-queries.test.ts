import { expect, test } from "vitest";
import { readJsonTree } from "../../console/src/controls/json-tree.ts";
import { differs } from "../../console/src/pages/query/saved/differs.ts";

const saved = '{"projectId":1,"events":[{"eventName":"login","n":9007199254740993}]}';

test.each([
  ["the same text", saved, false],
  ["other spaces", saved.replaceAll(",", ",\r\n  "), false],
  ["another digit beyond 2^53", saved.replace("993", "992"), true],
  ["another order of members", '{"events":[{"eventName":"login","n":9007199254740993}],"projectId":1}', true],
  ["a number as a text", saved.replace('"projectId":1', '"projectId":"1"'), true],
  ["one more member", saved.replace("{", '{"limit":5,'), true],
])("%s", (_name, text, isChanged) => {
  expect(differs(readJsonTree(text)!, saved)).toBe(isChanged);
});

test("any request differs from what is not JSON", () => {
  expect(differs(readJsonTree(saved)!, "{")).toBe(true);
});
