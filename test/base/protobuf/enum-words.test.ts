import { expect, test } from "vitest";
import { numberOf, wordOf, wordsOf } from "../../../base/protobuf/enum-words.ts";
import { Relation, RelationSchema } from "../../../gen/engage/analysis/v1/filter_pb.ts";

test("the words of an enum are those of its options", () => {
  expect(wordsOf(RelationSchema)).toEqual(["and", "or"]);
  expect(wordOf(RelationSchema, Relation.OR)).toBe("or");
  expect(wordOf(RelationSchema, Relation.UNSPECIFIED)).toBeUndefined();
  expect(numberOf(RelationSchema, "or")).toBe(Relation.OR);
  expect(numberOf(RelationSchema, "xor")).toBeUndefined();
  expect(numberOf(RelationSchema, "")).toBeUndefined();
});
