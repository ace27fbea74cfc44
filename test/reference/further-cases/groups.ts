import type { OracleCase } from "../oracle-cases.ts";
import { analysis, by, days, event, formula, normal, rows, starts, values } from "./builders.ts";

export const groupCases: readonly OracleCase[] = [
  analysis(
    "an operand without the group",
    "A group that only one operand has counts 0 on the other side; a division by that 0 is no value",
    [event("v", "a", 1, { c: "x" }), event("v", "a", 1, { c: "y" }), event("w", "a", 1, { c: "y" })],
    { ...days(1, 1), ...by("c") },
    [formula("w.TOTAL_TIMES / v.TOTAL_TIMES"), formula("v.TOTAL_TIMES / w.TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["y"], 1],
          [["x"], 0],
        ]),
        rows(1, [
          [["y"], 1],
          [["x"], null],
        ]),
      ],
    },
  ),
  analysis(
    "lists by element",
    "An event is in the group of each different element once; no list and an empty list are one group",
    [
      event("v", "a", 1, { l: ["x", "y", "x"] }),
      event("v", "b", 1, { l: ["y"] }),
      event("v", "c", 1, { l: [] }),
      event("v", "d", 1),
    ],
    { ...days(1, 1), ...by("l") },
    [normal("v", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["$null"], 2],
          [["y"], 2],
          [["x"], 1],
        ]),
      ],
    },
  ),
  analysis(
    "object groups by element",
    "Members of one object group go element by element",
    [
      event("v", "a", 1, {
        i: [
          { id: "p", n: 1 },
          { id: "q", n: 2 },
        ],
      }),
      event("v", "b", 1, { i: [{ id: "p", n: 1 }, { id: "p" }] }),
    ],
    { ...days(1, 1), ...by("i.id", "i.n") },
    [normal("v", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["p", "1"], 2],
          [["p", "$null"], 1],
          [["q", "2"], 1],
        ]),
      ],
    },
  ),
  analysis(
    "few numbers are not cut",
    "def keeps each of fewer than twenty different numbers; labels are the numbers",
    values("n", [1.5, 10, 10, -2, null, 1.5, 1.5]),
    { ...days(1, 1), ...by({ columnName: "n", propertyRangeType: "def" }) },
    [normal("e", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [["1.5"], 3],
          [["10"], 2],
          [["$null"], 1],
          [["-2"], 1],
        ]),
      ],
    },
  ),
  {
    ...analysis(
      "groups of users",
      "A property of the user groups all its events by the present value",
      [event("v", "a", 1), event("v", "a", 2), event("v", "b", 2)],
      { ...days(1, 2), ...by({ columnName: "country", tableType: "user" }) },
      [normal("v", "TOTAL_TIMES")],
      {
        x: starts(1, 2),
        metrics: [
          rows(0, [
            [["DE"], 1, 1],
            [["$null"], 0, 1],
          ]),
        ],
      },
    ),
    users: [{ u: "a", p: { country: "DE" } }],
  },
  analysis(
    "ties by text",
    "Equal totals are ordered by the JSON text of the group, where no value is $null",
    [" ", "$a", "$o", "a", "B", null, "1"].map((c, at) => event("v", `u${at}`, 1, { c })),
    { ...days(1, 1), ...by("c") },
    [normal("v", "TOTAL_TIMES")],
    {
      x: starts(1, 1),
      metrics: [
        rows(0, [
          [[" "], 1],
          [["$a"], 1],
          [["$null"], 1],
          [["$o"], 1],
          [["1"], 1],
          [["B"], 1],
          [["a"], 1],
        ]),
      ],
    },
  ),
];
