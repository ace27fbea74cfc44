import { expect, describe as group, it } from "vitest";
import { describe, refusalsOf, warningsOf } from "../described.ts";
import { cluster, filter, show } from "./conditions.ts";

group("a list of conditions", () => {
  const [a, b] = [filter("brand", "equal", ["a"]), filter("price", "less", [1])];

  it.each([
    [{ filts: [a, b] }, '(brand in ["a"] and price < 1)'],
    [{ filts: [a, b], relation: "or" }, '(brand in ["a"] or price < 1)'],
    [{ filts: [], relation: "or" }, "true"],
    [
      { filts: [{ filterType: "COMPOUND", relation: "and", filts: [a, b] }, a], relation: "or" },
      '((brand in ["a"] and price < 1) or brand in ["a"])',
    ],
  ])("%j is %s", (view, where) => {
    expect(show(describe({ view }).scans[0]!.measures[0]!.where)).toBe(where);
  });

  it("of the query comes before that of the metric", () => {
    const plan = describe({ view: { filts: [a] }, metric: { filts: [b] } });
    expect(show(plan.scans[0]!.measures[0]!.where)).toBe('(brand in ["a"] and price < 1)');
  });
});

group("refused is", () => {
  const at = "eventView.filts[0]";
  it.each([
    [filter("brand", "equal"), `${at}.ftv: must have 1 to 10000 literals with equal, not 0`],
    [
      {
        filterType: "COMPOUND",
        filts: Array.from({ length: 6 }, () => filter("brand", "equal", Array(10_000).fill("a"))),
      },
      `${at}.filts[5].ftv: exceeds the limit of 50000 literals in a query`,
    ],
    [filter("brand", "isNull", ["a"]), `${at}.ftv: must have no literal with isNull, not 1`],
    [filter("price", "less", [1, 2]), `${at}.ftv: must have 1 literal with less, not 2`],
    [filter("price", "range", [1]), `${at}.ftv: must have 2 literals with range, not 1`],
    [
      filter("price", "equal", ["many"]),
      `${at}.ftv[0]: "many" must be a finite number, because the column is a number`,
    ],
    [
      filter("price", "equal", ["2", " 1"]),
      `${at}.ftv[1]: " 1" must be a finite number without spaces around it, because the column is a number`,
    ],
    [
      filter("price", "less", ["1\n"]),
      `${at}.ftv[0]: "1\\n" must be a finite number without spaces around it`,
    ],
    [filter("price", "range", ["1 ", "2"]), `${at}.ftv[0]: "1 " must be a finite number without spaces`],
    [filter("price", "less", ["1 0"]), `${at}.ftv[0]: "1 0" must be a finite number, because`],
    [filter("price", "less", ["NaN"]), `${at}.ftv[0]: "NaN" must be a finite number`],
    [filter("price", "less", ["1e400"]), `${at}.ftv[0]: "1e400" must be a finite number`],
    [filter("due", "less", ["2026-02-30"]), `${at}.ftv[0]: "2026-02-30" must be an existing time`],
    [filter("paid", "equal", ["yes"]), `${at}.ftv[0]: "yes" must be "true" or "false"`],
    [filter("brand", "regexMatch", ["(a"]), `${at}.ftv[0]: "(a" must be a regular expression in RE2 syntax`],
    [filter("brand", "regexMatch", ["(?=a)"]), `${at}.ftv[0]: "(?=a)" must be a regular expression`],
    [filter("brand", "regexMatch", ["a".repeat(1_001)]), "must have at most 1000 characters"],
    [filter("brand", "regexMatch", ["(a{1000}){1000}"]), "is too large: with repetitions written out, the"],
    [filter("brand", "regexMatch", ["(a{1001})"]), "must be a regular expression in RE2 syntax"],
    [filter("tags", "arrayItemPos", [0, "x"]), `${at}.ftv[0]: "0" must be a whole number from 1 to 10000`],
    [filter("due", "relativeCurrentBefore", ["1.5"]), `${at}.ftv[0]: "1.5" must be a whole number from`],
    [
      filter("due", "relativeCurrentBefore", [" 1"]),
      `${at}.ftv[0]: " 1" must be a whole number from -36500 to 36500, without spaces around it`,
    ],
    [
      filter("due", "relativeEventBefore", [1]),
      `${at}.timeUnit: is required by relativeEventBefore and must be one of "day", "hour", "minute"`,
    ],
    [
      filter("due", "relativeEventBefore", [-1], { timeUnit: "day" }),
      `${at}.ftv[0]: "-1" must be a whole number from 0 to 36500`,
    ],
    [filter("", "equal", ["a"]), `${at}.columnName: is required`],
    [
      filter("brand", "equal", ["a"], { tableType: undefined }),
      `${at}.tableType: is required, one of "event", "user", "cluster", "user_cluster"`,
    ],
    [filter("brand", "", ["a"]), `${at}.comparator: is required, one of "equal", "notEqual", "include"`],
    [
      filter("price", "include", ["1"]),
      `${at}.comparator: "include" does not apply to a number column, valid are "equal", "notEqual", "less", "greater", "range", "isNull", "notNull"`,
    ],
    [
      filter("brand", "greater", ["1"]),
      `${at}.comparator: "greater" does not apply to a text column, valid are`,
    ],
    [
      filter("tags", "equal", ["x"]),
      `${at}.comparator: "equal" does not apply to a list column, valid are "isNull", "notNull", "arrayIncludeItem"`,
    ],
    [
      filter("items.cost", "less", ["1"]),
      `${at}.comparator: "less" does not apply to a member of the object group "items"`,
    ],
    [filter("whales", "equal", ["x"], cluster), `valid are "belongToCluster", "notBelongToCluster"`],
    [filter("segment", "belongToCluster", [], cluster), `"belongToCluster" does not apply to a text column`],
    [
      filter("whales", "belongToCluster", [], { ...cluster, specifiedClusterDate: "2026-02-30" }),
      `${at}.specifiedClusterDate: "2026-02-30" must be an existing day, as yyyy-MM-dd`,
    ],
    [
      { ...filter("brand", "equal", ["a"]), filts: [filter("brand", "isNull")] },
      `${at}.filts: is only valid with the filterType "COMPOUND"`,
    ],
  ])("%j", (condition, refusal) => {
    const refusals = refusalsOf({ view: { filts: [condition] } });
    expect(refusals.filter((one) => one.includes(refusal))).toHaveLength(1);
  });

  it("nesting without end", () => {
    const nest = (depth: number): object =>
      depth === 0 ? filter("brand", "isNull") : { filterType: "COMPOUND", filts: [nest(depth - 1)] };
    expect(refusalsOf({ view: { filts: [nest(9)] } })).toEqual([]);
    expect(refusalsOf({ view: { filts: [nest(10)] } })[0]).toContain("is nested deeper than 10 levels");
  });

  it("more conditions than a query may have, reported once", () => {
    const filts = Array.from({ length: 1_200 }, () => filter("brand", "isNull"));
    expect(refusalsOf({ view: { filts } })).toEqual([
      "eventView.filts[1000]: exceeds the limit of 1000 conditions",
    ]);
  });

  it("all that is wrong, not only the first", () => {
    const filts = [
      filter("price", "equal", ["x"]),
      { filterType: "COMPOUND", filts: [filter("paid", "isTrue", [1])] },
    ];
    expect(refusalsOf({ view: { filts }, metric: { filts: [filter("due", "isTrue")] } })).toHaveLength(3);
  });
});

it.each([
  [
    {
      filterType: "COMPOUND",
      filts: [filter("brand", "isNull")],
      columnName: "price",
      tableType: "event",
      comparator: "greater",
      ftv: [5],
      timeUnit: "day",
      subTableType: "cluster_by_import",
      specifiedClusterDate: "2026-08-20",
    },
    "COMPOUND",
    ["columnName", "tableType", "subTableType", "specifiedClusterDate", "comparator", "ftv", "timeUnit"],
  ],
  [filter("brand", "isNull", [], { relation: "or" }), "SIMPLE", ["relation"]],
])("warns of what is not for the type of %j", (condition, type, names) => {
  expect(warningsOf({ view: { filts: [condition] } })).toEqual(
    names.map((name) => `eventView.filts[0].${name} has no effect with the filterType "${type}"`),
  );
});
