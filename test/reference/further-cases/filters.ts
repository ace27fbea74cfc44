import type { OracleCase } from "../oracle-cases.ts";
import { analysis, days, event, formula, normal, one, starts, where } from "./builders.ts";

export const filterCases: readonly OracleCase[] = [
  analysis(
    "filters of one operand",
    "customFilters narrow the operand of their index only, filts of the metric all of them",
    [event("v", "a", 1, { n: 1 }), event("v", "b", 1, { n: 2 }), event("v", "c", 1, { n: 3 })],
    days(1, 1),
    [
      formula("v.TOTAL_TIMES * 10 + v.n.SUM", {
        filts: [where("n", "less", [3])],
        customFilters: [{ index: 1, filts: [where("n", "greater", [1])], relation: "and" }],
      }),
    ],
    { x: starts(1, 1), metrics: [one(0, 22)] },
  ),
  analysis(
    "compound filters",
    "(c = x and n > 1) or n = 0",
    [
      event("v", "a", 1, { c: "x", n: 1 }),
      event("v", "b", 1, { c: "x", n: 2 }),
      event("v", "c", 1, { c: "y", n: 0 }),
      event("v", "d", 1, { c: "y", n: 5 }),
    ],
    {
      ...days(1, 1),
      relation: "or",
      filts: [
        {
          filterType: "COMPOUND",
          relation: "and",
          filts: [where("c", "equal", ["x"]), where("n", "greater", ["1"])],
        },
        where("n", "equal", ["0.0"]),
      ],
    },
    [normal("v", "TOTAL_TIMES")],
    { x: starts(1, 1), metrics: [one(0, 2)] },
  ),
  analysis(
    "texts and numbers in filters",
    "notInclude and notRegexMatch want a value; range takes both its ends",
    [
      event("v", "a", 1, { c: "web-1", n: 1 }),
      event("v", "b", 1, { c: "app", n: 2 }),
      event("v", "c", 1, { c: "", n: 3 }),
      event("v", "d", 1, { n: 4 }),
    ],
    days(1, 1),
    [
      normal("v", "TOTAL_TIMES", { filts: [where("c", "notInclude", ["web"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "include", ["eb", "pp"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "regexMatch", ["-[0-9]$"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "notRegexMatch", ["-[0-9]$"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("n", "range", ["2", 3])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("c", "notEqual", ["app", "x"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("never", "isNull")] }),
    ],
    {
      x: starts(1, 1),
      metrics: [one(0, 1), one(1, 2), one(2, 1), one(3, 1), one(4, 2), one(5, 1), one(6, 4)],
    },
  ),
  analysis(
    "items of lists in filters",
    "arrayNotIncludeItem also holds without a list; positions count from 1",
    [event("v", "a", 1, { l: ["x", "y"] }), event("v", "b", 1, { l: ["y"] }), event("v", "c", 1)],
    days(1, 1),
    [
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayIncludeItem", ["x", "z"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayNotIncludeItem", ["x"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayItemPos", [1, "y"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayItemPos", ["2", "y"])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayIsNull")] }),
      normal("v", "TOTAL_TIMES", { filts: [where("l", "arrayNotNull")] }),
    ],
    { x: starts(1, 1), metrics: [one(0, 1), one(1, 2), one(2, 1), one(3, 1), one(4, 1), one(5, 2)] },
  ),
  analysis(
    "times against the event's time",
    "More than a day is more than 24 hours; the same day is a day of the calendar",
    [
      event("v", "a", 3, { t: "2024-05-02 00:59:59" }),
      event("v", "b", 3, { t: "2024-05-02 01:00:00" }),
      event("v", "c", 3, { t: "2024-05-03 23:00:00" }),
      event("v", "d", 3, { t: "2024-05-04 01:00:01" }),
    ],
    days(3, 3),
    [
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeEventBefore", ["1"], { timeUnit: "day" })] }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeEventAfter", [24], { timeUnit: "hour" })] }),
      normal("v", "TOTAL_TIMES", {
        filts: [where("t", "relativeEventAbsolute", [1440], { timeUnit: "minute" })],
      }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeEventThatDay")] }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeCurrentBetween", ["-17", -17])] }),
      normal("v", "TOTAL_TIMES", { filts: [where("t", "relativeCurrentBefore", ["17"])] }),
    ],
    { x: starts(3, 3), metrics: [one(0, 1), one(1, 1), one(2, 2), one(3, 1), one(4, 1), one(5, 2)] },
  ),
];
