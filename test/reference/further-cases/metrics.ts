import type { OracleCase } from "../oracle-cases.ts";
import { analysis, days, event, formula, normal, one, starts, total, values, visits } from "./builders.ts";

export const metricCases: readonly OracleCase[] = [
  analysis(
    "uniques over the whole",
    "Uniques of a total are not the sum of daily uniques",
    visits,
    total(1, 3),
    [normal("v", "TRIG_USER_NUM"), normal("anyEvent", "TRIG_USER_NUM")],
    { x: ["total"], metrics: [one(0, 2), one(1, 3)] },
  ),
  analysis(
    "precedence",
    "Products before sums, brackets before both, from the left",
    visits,
    total(1, 2),
    [
      formula("v.TOTAL_TIMES + w.TOTAL_TIMES * 2"),
      formula("(v.TOTAL_TIMES + w.TOTAL_TIMES) * 2 - 1"),
      formula("v.TOTAL_TIMES - 1 - 1"),
      formula("v.TOTAL_TIMES / 2 / 4"),
      formula("2.5*(v.TOTAL_TIMES/(w.TOTAL_TIMES))"),
    ],
    { x: ["total"], metrics: [one(0, 6), one(1, 9), one(2, 2), one(3, 0.5), one(4, 10)] },
  ),
  analysis(
    "lists as wholes, sets and elements",
    "[x,y], [y,x] and [x,y,x] are three lists, one set and two elements",
    [
      event("v", "a", 1, { l: ["x", "y"] }),
      event("v", "a", 1, { l: ["y", "x"] }),
      event("v", "a", 1, { l: ["x", "y", "x"] }),
      event("v", "a", 1, { l: ["x", "y"] }),
      event("v", "a", 1, { l: [] }),
    ],
    days(1, 1),
    [
      normal("v", "ARRAY_DISTINCT", { quota: "l" }),
      normal("v", "ARRAY_SET_DISTINCT", { quota: "l" }),
      normal("v", "ARRAY_ITEM_DISTINCT", { quota: "l" }),
      normal("v", "IS_EMPTY", { quota: "l" }),
    ],
    { x: starts(1, 1), metrics: [one(0, 3), one(1, 1), one(2, 2), one(3, 1)] },
  ),
  analysis(
    "quantiles",
    "Linear between neighbours: of 1, 2, 3, 10 the median is 2.5, the 90th percentile 7.9, the 100th 10",
    values("n", [10, 1, 3, 2, null]),
    days(1, 2),
    [
      normal("e", "MEDIAN", { quota: "n" }),
      normal("e", "PERCENTILE", { quota: "n", analysisParams: "90" }),
      normal("e", "PERCENTILE", { quota: "n", analysisParams: "100" }),
      normal("e", "MAX", { quota: "n" }),
      normal("e", "MIN", { quota: "n" }),
    ],
    {
      x: starts(1, 2),
      metrics: [one(0, 2.5, null), one(1, 7.9, null), one(2, 10, null), one(3, 10, null), one(4, 1, null)],
    },
  ),
  analysis(
    "sums of no value",
    "A sum without values is 0, so it is per user; nobody at all is no value",
    [event("v", "a", 1)],
    days(1, 2),
    [
      normal("v", "SUM", { quota: "n" }),
      normal("v", "PER_CAPITA_NUM", { quota: "n" }),
      normal("v", "AVG", { quota: "n" }),
      normal("v", "DISTINCT", { quota: "n" }),
    ],
    { x: starts(1, 2), metrics: [one(0, 0, 0), one(1, 0, null), one(2, null, null), one(3, 0, 0)] },
  ),
];
