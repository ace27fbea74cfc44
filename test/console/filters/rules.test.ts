import { describe, expect, test } from "vitest";
import { numberOf, wordsOf } from "../../../base/protobuf/enum-words.ts";
import {
  columnTypeOf,
  comparatorRule,
  comparators,
  comparatorsFor,
  fieldsOf,
} from "../../../console/src/filters/rules.ts";
import { aggregationWords, quotaTypesOf } from "../../../console/src/pages/query/state/aggregations.ts";
import { PropertyType } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { type Aggregation, AggregationSchema } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { type Comparator, ComparatorSchema } from "../../../gen/engage/analysis/v1/filter_pb.ts";
import { comparatorRules } from "../../../services/analysis/describe/condition/comparator.ts";
import { checkQuota, needsQuota } from "../../../services/analysis/describe/metric/operand.ts";
import { createProblems } from "../../../services/analysis/describe/problems.ts";

const types = ["number", "text", "time", "boolean", "list", "object", "object_group"] as const;

describe("the form offers what the server accepts", () => {
  test("all comparators, and no other word", () => {
    expect(Object.keys(comparators)).toEqual(wordsOf(ComparatorSchema));
    expect(comparatorRule("toString")).toBeUndefined();
  });

  test.each(Object.keys(comparators))("%s: types, number of literals and unit", (word) => {
    const rule = comparatorRule(word)!;
    const server = comparatorRules[numberOf(ComparatorSchema, word) as Comparator]!;
    expect([...rule.types].sort()).toEqual([...server.types].sort());
    const [least, most] = server.arity;
    expect(fieldsOf(rule.arity)).toBe(least);
    expect(rule.arity === "many").toBe(most > 2);
    expect(rule.hasUnit).toBe(server.needsUnit === true);
  });

  test("all aggregations, in the order of the contract", () => {
    expect(aggregationWords).toEqual(wordsOf(AggregationSchema));
    expect(aggregationWords).toHaveLength(18);
  });

  test.each(aggregationWords)("%s: the types of its property", (word) => {
    const aggregation = numberOf(AggregationSchema, word) as Aggregation;
    const own = quotaTypesOf(word);
    expect(own !== undefined).toBe(needsQuota(aggregation));
    const accepted = types.filter((type) =>
      checkQuota(aggregation, { type, value: { kind: "null" } }, "quota", "p", createProblems()),
    );
    expect(own?.filter((type) => type !== "member").toSorted() ?? []).toEqual(accepted.toSorted());
  });
});

test("comparators are those of a column's type, and all for one of unknown type", () => {
  expect(comparatorsFor("boolean")).toEqual(["equal", "notEqual", "isNull", "notNull", "isTrue", "isFalse"]);
  expect(comparatorsFor("cohort")).toEqual(["belongToCluster", "notBelongToCluster"]);
  expect(comparatorsFor(undefined)).toHaveLength(26);
  expect(comparatorsFor("time", false)).toEqual([
    ...["equal", "notEqual", "less", "greater", "range", "isNull", "notNull"],
    ...["relativeCurrentBetween", "relativeCurrentBefore"],
  ]);
});

test.each([
  [PropertyType.NUMBER, "", "number"],
  [PropertyType.TEXT, "items", "member"],
  [PropertyType.UNSPECIFIED, "", undefined],
])("a column of type %s in group %j is a %s", (type, group, column) => {
  expect(columnTypeOf(type, group)).toBe(column);
});
