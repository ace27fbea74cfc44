import { expect, test } from "vitest";
import { formatJson } from "../../docs/generate/query-language/blocks.ts";
import { withRestNames } from "../../docs/generate/query-language/messages.ts";
import { examplesOf, vocabularyOf } from "../../docs/generate/query-language/vocabulary.ts";
import { RelationSchema, TimeUnitSchema } from "../../gen/engage/analysis/v1/filter_pb.ts";

test("words have the meaning that the comments of the messages give them", () => {
  expect(vocabularyOf(TimeUnitSchema)).toEqual([
    { word: "day", meaning: "24 hours." },
    { word: "hour", meaning: "" },
    { word: "minute", meaning: "" },
  ]);
});

test("every word needs an example, and every example a word", () => {
  const one = { and: 1, or: 2 };
  expect(examplesOf(RelationSchema, one).map(({ word, example }) => [word, example])).toEqual([
    ["and", 1],
    ["or", 2],
  ]);
  expect(() => examplesOf(RelationSchema, { and: 1 })).toThrow("the word or needs an example");
  expect(() => examplesOf(RelationSchema, { ...one, xor: 3 })).toThrow("has no word xor");
});

test("JSON has one line for each part that fits", () => {
  const wide = "a".repeat(60);
  const value = { short: [1, { a: true }], none: undefined, long: { a: wide, b: wide }, list: [] };
  expect(formatJson(value)).toBe(
    `{\n  "short": [1, { "a": true }],\n  "long": {\n    "a": "${wide}",\n    "b": "${wide}"\n  },\n  "list": []\n}`,
  );
  expect(JSON.parse(formatJson(value))).toEqual({ short: value.short, long: value.long, list: [] });
});

test("comments name members as REST writes them, and words of enums as they are", () => {
  expect(withRestNames("As\n`quota_entities`, or `cluster_by_import`.")).toBe(
    "As `quotaEntities`, or `cluster_by_import`.",
  );
});
